// A button that opens a panel below it, which closes on Escape and when the user goes elsewhere.
import { html, useEffect, useRef, useState } from 'htm/preact/standalone';
import { Icon } from './icons.js';

/** `name` is the button's for screen readers, `children` are the panel's content; `onOpen` runs before it is shown. */
export function Menu({ label, name, onOpen, children }) {
    const [isOpen, setIsOpen] = useState(false);
    const element = useRef(null);
    const button = useRef(null);
    const toggle = () => {
        if (!isOpen) {
            onOpen?.();
        }
        setIsOpen(!isOpen);
    };
    const leave = ({ target }) => element.current.contains(target) || setIsOpen(false);
    useEffect(() => {
        if (!isOpen) {
            return undefined;
        }
        document.addEventListener('pointerdown', leave);
        document.addEventListener('focusin', leave);
        return () => {
            document.removeEventListener('pointerdown', leave);
            document.removeEventListener('focusin', leave);
        };
    }, [isOpen]);
    const closeOnEscape = (event) => {
        if (event.key === 'Escape' && isOpen) {
            event.preventDefault();
            setIsOpen(false);
            button.current.focus();
        }
    };
    const closeAfterChoice = ({ target }) => {
        if (target.closest('a, .menu-item')) {
            setIsOpen(false);
            button.current.focus();
        }
    };
    return html`<div class="menu" ref=${element} onKeyDown=${closeOnEscape}>
        <button class="button" type="button" ref=${button} aria-label=${name} aria-expanded=${String(isOpen)}
            onClick=${toggle}>${label}<${Icon} name="below" /></button>
        ${isOpen && html`<div class="menu-panel" onClick=${closeAfterChoice}>${children}</div>`}
    </div>`;
}
