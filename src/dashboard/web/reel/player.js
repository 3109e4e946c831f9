// The player of a kept video, synchronised with the timeline.
import { html, useEffect, useRef, useState } from 'htm/preact/standalone';
import { resourceAddress } from '../core/api.js';
import { formatTimecode } from '../text/times.js';
import { Icon } from '../ui/icons.js';
import { openOverlay } from '../ui/overlay.js';
import { playerAction } from './positions.js';
import { copyLink } from './share.js';

/** The address of the video of a reel; null if it is not kept. */
export function videoAddress(reel) {
    return resourceAddress(reel.video);
}

/** Why the video at an address is not shown, as a sentence. */
async function problemOf(address) {
    try {
        const answer = await fetch(address, { method: 'HEAD' });
        if (answer.headers.get('X-Error-Code') === 'video_not_kept') {
            return 'The server no longer keeps this video.';
        }
        return answer.ok ? 'This browser cannot play the video.' : 'The server could not send the video.';
    } catch {
        return 'No connection, so the video could not be loaded.';
    }
}

/** Calls `onTime` with the tenths of a second that the video shows, even while the user seeks in it. */
function useVideoTime(video, onTime) {
    useEffect(() => {
        const element = video.current;
        let frame = 0;
        let last = null;
        const report = () => {
            const now = Math.round(element.currentTime * 10) / 10;
            if (now !== last) {
                last = now;
                onTime(now);
            }
        };
        const followPlay = () => {
            report();
            frame = requestAnimationFrame(followPlay);
        };
        const start = () => {
            cancelAnimationFrame(frame);
            followPlay();
        };
        const stop = () => {
            cancelAnimationFrame(frame);
            report();
        };
        const listeners = { play: start, pause: stop, ended: stop, seeked: report };
        Object.entries(listeners).forEach(([type, run]) => element.addEventListener(type, run));
        return () => {
            cancelAnimationFrame(frame);
            Object.entries(listeners).forEach(([type, run]) => element.removeEventListener(type, run));
        };
    }, []);
}

/** Whether a sticky element is away from its place, as the page is scrolled. */
function useIsStuck(element) {
    const [isStuck, setIsStuck] = useState(false);
    useEffect(() => {
        const follow = () => {
            const { position, top } = getComputedStyle(element.current);
            setIsStuck(position === 'sticky' && element.current.getBoundingClientRect().top <= Number.parseFloat(top));
        };
        addEventListener('scroll', follow, { passive: true });
        return () => removeEventListener('scroll', follow);
    }, []);
    return isStuck;
}

function isOnScreen(element) {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
}

/**
 * Keys of the player while the focus is in `section`. Those that play and move work without a focused control, too, while
 * the player is on the screen; the others scroll the page then.
 */
function useKeys(section, player, run) {
    useEffect(() => {
        const follow = (event) => {
            const isChord = event.ctrlKey || event.metaKey || event.altKey;
            const isTyping = event.target.closest('input, textarea, select, [contenteditable], dialog');
            if (event.defaultPrevented || isChord || isTyping) {
                return;
            }
            const action = playerAction(event.key);
            const isInside = section.current.contains(event.target);
            const isFree = event.target.matches('body, main, h1') && action?.type !== 'moment' && isOnScreen(player.current);
            // The space bar presses buttons, except the entries of the lists, and plays a focused video without us.
            const isPress = event.key === ' ' && event.target.closest('button:not(.entry), a, summary, video');
            if (action && !isPress && (isInside || isFree)) {
                event.preventDefault(); // Otherwise the video's own controls would follow the key, too.
                run(action);
            }
        };
        document.addEventListener('keydown', follow);
        return () => document.removeEventListener('keydown', follow);
    }, []);
}

/**
 * The video of `reel`. `video` is the ref of its element, `section` that of the player and its lists; `seconds` is the
 * current time, initially that of the address; `onTime` receives the shown time, `onAction` the keys that move it (of
 * playerAction()).
 */
export function Player({ reel, video, section, seconds, onTime, onAction }) {
    const [problem, setProblem] = useState(null);
    const { width, height } = reel.result.metadata;
    const run = (action) => {
        if (action.type !== 'toggle') {
            onAction(action);
        } else if (video.current?.paused) {
            video.current.play().catch(() => {}); // A video that cannot be played reports an error event.
        } else {
            video.current?.pause();
        }
    };
    const box = useRef(null);
    const isStuck = useIsStuck(box);
    useVideoTime(video, onTime);
    useKeys(section, box, run);
    const showStart = ({ currentTarget }) => {
        currentTarget.currentTime = seconds;
    };
    return html`<div class=${`player stack ${isStuck && !problem ? 'player-stuck' : ''}`} ref=${box}>
        <video class="player-video" ref=${video} controls playsinline preload="metadata"
            aria-label="Video of the reel" width=${width} height=${height}
            style=${{ aspectRatio: `${width} / ${height}` }}
            poster=${`/dashboard/api/reels/${reel.id}/thumbnail`} src=${videoAddress(reel)}
            onLoadedMetadata=${showStart} onError=${async () => setProblem(await problemOf(videoAddress(reel)))}>
            <track kind="captions" label="Transcript" src=${`/dashboard/api/reels/${reel.id}/subtitles.vtt`}
                srclang=${reel.result.audio.language ?? 'und'} />
        </video>
        ${problem ? html`<p class="small" role="alert"><${Icon} name="warning" /> ${problem}</p>`
            : html`<p class="player-keys flow small">
                <button class="link" type="button" onClick=${() => copyLink(reel.id, Math.floor(seconds))}>
                    Copy link at ${formatTimecode(seconds)}</button>
                <button class="link player-help" type="button" onClick=${() => openOverlay('shortcuts')}>Keyboard shortcuts</button></p>`}
    </div>`;
}
