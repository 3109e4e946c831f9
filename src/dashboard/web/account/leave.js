// Signs out at the user's request.
import { navigate } from '../core/navigation.js';
import { signOut } from '../core/session.js';
import { sendDeletions } from '../reels/deletions.js';
import { showToast } from '../ui/toast.js';

/** Completes the deletions, signs out and opens the sign-in page: otherwise the next user would start on this page. */
export async function leave() {
    await sendDeletions();
    await signOut().catch((why) => {
        if (why.status !== 401) { // The session has already ended, for example in the list of sessions.
            showToast('Signing out at the server failed. Try again.', { isFailure: true });
        }
    });
    navigate('/sign-in');
}
