// Selects video files, by a dialog or by drag and drop.
import { html, useEffect, useRef, useState } from 'htm/preact/standalone';

function isVideo(file) {
    return file.type.startsWith('video/') || /\.(?:mp4|mov|m4v|webm)$/i.test(file.name);
}

/**
 * The upload control. `hint` says how the file is used; `onFiles` receives the files that look like videos.
 * `isMain`: the page was opened to upload.
 */
export function VideoPicker({ hint, isBusy, isMain, onFiles }) {
    const input = useRef(null);
    const button = useRef(null);
    useEffect(() => isMain && button.current.focus(), [isMain]);
    const [isOver, setIsOver] = useState(false);
    const take = (files) => {
        const videos = [...files].filter(isVideo);
        if (videos.length > 0 && !isBusy) {
            onFiles(videos);
        }
    };
    const drop = (event) => {
        event.preventDefault();
        setIsOver(false);
        take(event.dataTransfer.files);
    };
    const drag = (event) => {
        event.preventDefault();
        setIsOver(true);
    };
    const choose = (event) => {
        take(event.target.files);
        input.current.value = ''; // Allows the same file to be chosen again.
    };
    return html`<div class=${`drop${isOver ? ' drop-over' : ''}`} onDragOver=${drag} onDragLeave=${() => setIsOver(false)}
        onDrop=${drop}>
        <button ref=${button} class=${isMain ? 'button button-main' : 'button'} type="button" disabled=${isBusy} onClick=${() => input.current.click()}>
            Upload a video</button>
        <input ref=${input} type="file" accept="video/*,.mp4,.mov,.m4v,.webm" multiple hidden tabindex="-1"
            aria-label="Video files" onChange=${choose} />
        <span class="muted small">${hint}</span>
    </div>`;
}

/** Progress of an upload. `share` is 0 to 1. */
export function UploadProgress({ name, share }) {
    const percent = Math.round(share * 100);
    return html`<div class="upload">
        <label class="small foreign" for="upload-progress">${share < 1
            ? `Uploading ${name}: ${percent} %` : `Uploaded ${name}, waiting for the server…`}</label>
        <progress id="upload-progress" max="100" value=${percent}></progress>
    </div>`;
}
