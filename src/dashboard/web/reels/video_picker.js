// Selects video files, by a dialog or by drag and drop.
import { html, useEffect, useRef, useState } from 'htm/preact/standalone';
import { Icon } from '../ui/icons.js';

/** Whether a file is a video, by its type or its name. */
export function isVideo(file) {
    return file.type.startsWith('video/') || /\.(?:mp4|mov|m4v|webm)$/i.test(file.name);
}

/**
 * The target of dropped files: `isOver` while files are dragged over it, and `props` of its element. `onFiles` receives
 * the files.
 */
export function useDrop(onFiles) {
    const [isOver, setIsOver] = useState(false);
    const drag = (event) => {
        if (event.dataTransfer.types.includes('Files')) {
            event.preventDefault();
            setIsOver(true);
        }
    };
    const leave = (event) => event.currentTarget.contains(event.relatedTarget) || setIsOver(false);
    const drop = (event) => {
        if (isOver) { // A dropped text goes into the field.
            event.preventDefault();
            setIsOver(false);
            onFiles([...event.dataTransfer.files]);
        }
    };
    return { isOver, props: { onDragOver: drag, onDragLeave: leave, onDrop: drop } };
}

/** The button that opens the dialog, with a `hint`. `isMain`: the page was opened to upload. */
export function VideoPicker({ hint, isBusy, isMain, onFiles }) {
    const input = useRef(null);
    const button = useRef(null);
    useEffect(() => isMain && button.current.focus(), [isMain]);
    const choose = (event) => {
        onFiles([...event.target.files]);
        input.current.value = ''; // Allows the same file to be chosen again.
    };
    return html`<div class="picker flow">
        <button ref=${button} class=${`button button-small ${isMain ? 'button-main' : ''}`} type="button"
            disabled=${isBusy} onClick=${() => input.current.click()}>
            <${Icon} name="upload" />Upload a video</button>
        <input ref=${input} type="file" accept="video/*,.mp4,.mov,.m4v,.webm" multiple hidden tabindex="-1"
            aria-label="Video files" onChange=${choose} />
        <span class="muted small drop-hint">${hint}</span>
    </div>`;
}

/** Progress of an upload. `share` is 0 to 1. */
export function UploadProgress({ name, share }) {
    const percent = Math.round(share * 100);
    return html`<div class="upload">
        <label class="small foreign" for="upload-progress">${share < 1
            ? `Uploading ${name}: ${percent}%` : `Uploaded ${name}, waiting for the server…`}</label>
        <progress id="upload-progress" max="100" value=${percent}></progress>
    </div>`;
}
