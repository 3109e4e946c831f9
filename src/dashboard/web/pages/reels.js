// The start page: submitting links, progress, search and the list of reels.
import { html, useEffect, useRef, useState } from 'htm/preact/standalone';
import { hasQuestion } from '../ask/answers.js';
import { AskBox, canAsk } from '../ask/ask_box.js';
import { liveStore } from '../core/live.js';
import { navigate } from '../core/navigation.js';
import { pathWithQuery } from '../core/routes.js';
import { useStore } from '../core/store.js';
import { sharedLinks } from '../reel/links.js';
import { hiddenStore } from '../reels/deletions.js';
import { filterWords } from '../reels/filter_words.js';
import { Guide } from '../reels/guide.js';
import { listStore, loadMore, refreshList, showList } from '../reels/list.js';
import { ListHead, ListState } from '../reels/list_tools.js';
import { PlatformNotice } from '../reels/platform_notice.js';
import { RowList } from '../reels/row_list.js';
import { SearchResults, useSearch } from '../reels/search_results.js';
import { submitLink } from '../reels/submissions.js';
import { SubmitBox } from '../reels/submit_box.js';
import { Filters, Toolbar } from '../reels/toolbar.js';
import { storedTag } from '../tags/tags.js';
import { announce } from '../ui/announcer.js';
import { CopyBox } from '../ui/copy.js';
import { useSubmission } from '../ui/field.js';
import { focusHeading } from '../ui/focus.js';
import { useRepetition } from '../ui/loading.js';
import { Skeleton, Empty, FailureNote } from '../ui/notes.js';
import { useTitle } from '../ui/title.js';

const SAMPLE_LINK = 'https://www.instagram.com/reel/reelsd-sample/';
const TEST_LINK = /\/reelsd-[a-z-]+\/?$/;
const ASK_PATH = '/reels/ask';
const PLACE_SECONDS = 10;

function dayIn(text) {
    return /^\d{4}-\d\d-\d\d$/.test(text ?? '') ? text : '';
}

function filterOf(query) {
    const author = (query.get('author') ?? '').trim().replace(/^@/, ''); // As the server reads it.
    return {
        q: query.get('q') ?? '', status: query.get('status') ?? '', author,
        tag: storedTag(query.get('tag') ?? ''), from: dayIn(query.get('from')), to: dayIn(query.get('to')),
    };
}

function FirstSteps() {
    const { isBusy, error, submit } = useSubmission(async () => {
        await submitLink(SAMPLE_LINK);
        announce('Submitted. The reel is at the top of the list.');
        focusHeading(); // The focused button disappears with this notice.
    });
    return html`<${Empty} title="No reels yet">
        <p>Paste the link of a public reel above. In a minute or two you can read here what is said, shown
        and written in it, with times.</p>
        <p>To try it first, use the test link. It costs nothing and needs no network:</p>
        <${CopyBox} text=${SAMPLE_LINK} what="the test link" />
        ${error && html`<${FailureNote} error=${error} />`}
        <p><button class="button" type="button" disabled=${isBusy} onClick=${submit}>
            Analyse the test link</button></p>
        <p class="muted small">Programs use the same service: create a token
        under <a href="/tokens">Tokens</a>, then read the <a href="/docs/">API reference</a>.</p>
    <//>`;
}

/** Loads the next page when scrolled near, or by its button. */
function More({ list }) {
    const end = useRef(null);
    useEffect(() => {
        const observer = new IntersectionObserver(
            (entries) => entries.some((entry) => entry.isIntersecting) && loadMore(),
            { rootMargin: '600px' });
        observer.observe(end.current);
        return () => observer.disconnect();
    }, [list.next, list.isLoading]); // While the list is fetched, loadMore() does nothing.
    return html`<div class="more" ref=${end}>
        ${list.moreError
            ? html`<${FailureNote} error=${list.moreError} onRetry=${loadMore} />`
            : html`<button class="button" type="button" disabled=${list.isLoadingMore}
                onClick=${loadMore}>${list.isLoadingMore ? 'Loading…' : 'Show more'}</button>`}
    </div>`;
}

/** `reels` are those of the list that are not hidden. */
function ReelList({ list, reels, filter, onShowAll }) {
    const { q: _, ...listed } = filter;
    useEffect(() => showList(listed), Object.values(listed));
    // Events do not report queue positions.
    useRepetition(() => list.reels.some((reel) => reel.status === 'pending') && refreshList(), PLACE_SECONDS);
    if (list.error && reels.length === 0) {
        return html`<${FailureNote} error=${list.error} onRetry=${refreshList} />`;
    }
    if (reels.length === 0 && !list.next) {
        if (list.isLoading || !list.filter) {
            return html`<${Skeleton} count=${5} />`;
        }
        return Object.values(listed).some((value) => value !== '')
            ? html`<${Empty} title=${`No ${filterWords(listed)}`}>
                <p><button class="button" type="button" onClick=${onShowAll}>Clear the filter</button></p><//>`
            : html`<${FirstSteps} />`;
    }
    return html`
        ${list.error && html`<${FailureNote} error=${list.error} onRetry=${refreshList} />`}
        <${RowList} reels=${reels} />
        ${list.next && html`<${More} list=${list} />`}`;
}

/** The next steps of an account with few reels. `list` is that of all its reels. */
function NextSteps({ list, session }) {
    const hasOwnReel = list.reels.some(({ url }) => !TEST_LINK.test(url));
    return list.reels.length > 0 && !list.next && html`<${Guide} session=${session} hasOwnReel=${hasOwnReel} />`;
}

/** A question to all reels, or to those of an author. */
function Question({ author, takesFocus }) {
    return html`<${AskBox} path=${ASK_PATH} label="Ask your reels" takesFocus=${takesFocus}
        hint=${author ? `Ask the reels of ${author}` : 'How much flour goes into the pasta?'}
        members=${author ? { author } : {}} />`;
}

/** The `/` page; search and filters are stored in the query of the address. */
export function Page({ place, session }) {
    const filter = filterOf(place.query);
    const upload = place.query.get('upload'); // Link of the reel to upload the video of; empty without a link.
    const shared = sharedLinks(place.query);
    const live = useStore(liveStore);
    const list = useStore(listStore);
    const hidden = useStore(hiddenStore);
    const [ask, setAsk] = useState({ isOpen: hasQuestion(ASK_PATH), takesFocus: false });
    const isSearch = filter.q !== '';
    const isListed = Object.values(filter).every((value) => value === '');
    const search = useSearch(filter);
    const reels = isSearch ? search.hits ?? [] : list.reels.filter((reel) => !hidden.has(reel.id));
    useTitle('Reels');
    const setFilter = (change) => {
        navigate(pathWithQuery('/', { ...filterOf(new URLSearchParams(location.search)), ...change }), true);
    };
    const showAll = () => {
        navigate('/', true);
        focusHeading(); // The focused button disappears with the notice.
    };
    // One element: Preact reorders the elements of a page that has several when its parts load slowly.
    return html`<div>
        <h1 class="unseen">Reels</h1>
        ${isListed && html`<${PlatformNotice} />`}
        <${SubmitBox} link=${upload} shared=${shared} isListed=${isListed} />
        ${isListed && html`<${NextSteps} list=${list} session=${session} />`}
        <${Toolbar} query=${filter.q} onQuery=${(q) => setFilter({ q })} ask=${canAsk(session)
            ? { isOpen: ask.isOpen, onToggle: () => setAsk({ isOpen: !ask.isOpen, takesFocus: true }) } : null}>
            <${ListState} live=${live} hasViews=${reels.length > 0 && !isSearch} /><//>
        ${canAsk(session) && ask.isOpen && html`<${Question} author=${filter.author} takesFocus=${ask.takesFocus} />`}
        <${ListHead} reels=${reels} isFailed=${!isSearch && filter.status === 'error'} onTagged=${() => isSearch && search.reload()}>
            <${Filters} filter=${filter} isSearch=${isSearch} onFilter=${setFilter} />
        <//>
        ${isSearch ? html`<${SearchResults} search=${search} filter=${filter} onShowAll=${showAll} />`
            : html`<${ReelList} list=${list} reels=${reels} filter=${filter} onShowAll=${showAll} />`}
    </div>`;
}
