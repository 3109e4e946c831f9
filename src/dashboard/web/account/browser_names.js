// Names of browsers. No DOM, so that Node can test this file.

// The first match counts: most browsers also name those whose pages they can show.
const BROWSERS = [
    [/Edg(e|A|iOS)?\//, 'Edge'], [/OPR\//, 'Opera'], [/SamsungBrowser\//, 'Samsung Internet'], [/Firefox\/|FxiOS\//, 'Firefox'],
    [/Chrome\/|CriOS\//, 'Chrome'], [/Safari\//, 'Safari'],
];
const SYSTEMS = [
    [/Android/, 'Android'], [/iPhone|iPad/, 'iOS'], [/Windows/, 'Windows'], [/Mac OS X/, 'macOS'], [/CrOS/, 'ChromeOS'],
    [/Linux/, 'Linux'],
];

/** A short name for a User-Agent: `Firefox on Linux`; its beginning for other programs. */
export function browserName(userAgent) {
    const nameIn = (names) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
    const browser = nameIn(BROWSERS);
    if (!browser) {
        return userAgent.slice(0, 40) || 'Unknown browser';
    }
    const system = nameIn(SYSTEMS);
    return system ? `${browser} on ${system}` : browser;
}
