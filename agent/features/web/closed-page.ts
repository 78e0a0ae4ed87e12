import type { Site } from '#agent/kernel/site/sites.ts'
import { nginx, nginxText, nginxVariable } from '#shared/kernel/formats/nginx.ts'
import { answersTestRequest, TEST_PATH } from './move-locations.ts'
import { variableOf } from './nginx-variable.ts'

/** The page that visitors see in place of a closed site. */
interface ClosedPage {
  title: string
  text: string
  /** The value of the Retry-After header in seconds (RFC 9110, 10.2.3). */
  retry_after: number
}

const SUSPENDED: ClosedPage = {
  title: 'This site is suspended',
  text: 'It is not available at the moment. If it is yours, ask your hosting provider.',
  retry_after: 86_400,
}

const MAINTENANCE: ClosedPage = {
  title: 'This site is being maintained',
  text: 'It will be back soon.',
  retry_after: 600,
}

function closedPageOf({ suspended, settings }: Site): ClosedPage | undefined {
  if (suspended) return SUSPENDED
  const maintenance = settings?.maintenance
  if (!maintenance) return undefined
  return { ...MAINTENANCE, ...(maintenance.message !== '' && { text: maintenance.message }) }
}

/** Returns the addresses whose visitors see a maintained site; none sees a suspended one. */
const allowedOf = ({ suspended, settings }: Site): readonly string[] =>
  suspended ? [] : (settings?.maintenance?.allow ?? [])

/** Renders a map: 1 where a visitor gets the page, such as tokens of ACME and test requests. */
export function renderClosedMap(site: Site): string {
  if (!closedPageOf(site)) return ''
  const [allowed, closed] = [variableOf('allowed', site), variableOf('closed', site)]
  return nginx`geo ${nginxVariable(allowed)} {
    default 0;
${allowedOf(site)
  .map((network) => nginx`    ${network} 1;\n`)
  .join('')}}
map "${nginxVariable(allowed)}$uri" ${nginxVariable(closed)} {
    default 1;
    "~^1" "";
    "~^0/\\.well-known/acme-challenge/" "";
${answersTestRequest(site) ? `    "0${TEST_PATH}" "";\n` : ''}}
`
}

/** Renders the condition before each location. All other directives stay. */
export function renderClosedPage(site: Site): string {
  const closing = closedPageOf(site)
  if (!closing) return ''
  return nginx`
    error_page 503 @hosting_closed;
    if (${nginxVariable(variableOf('closed', site))}) {
        return 503;
    }
    location @hosting_closed {
        auth_basic off;
        default_type text/html;
        charset utf-8;
        add_header Retry-After ${closing.retry_after} always;
        add_header Cache-Control no-store always;
        add_header X-Content-Type-Options nosniff always;
        return 503 ${nginxText(renderPage(closing))};
    }
`
}

const STYLE = [
  'body{margin:0;min-height:100vh;display:grid;place-items:center;padding:2rem;box-sizing:border-box}',
  'body{font:1rem/1.5 system-ui,sans-serif;background:#f6f6f4;color:#222;text-align:center}',
  'h1{font-size:1.5rem;margin:0 0 .5rem}p{margin:0;max-width:36rem;white-space:pre-line}',
  '@media(prefers-color-scheme:dark){body{background:#17181a;color:#e8e8e6}}',
].join('')

/** Renders the page as one string of nginx, which has at most 4,096 bytes. */
const renderPage = ({ title, text }: ClosedPage): string =>
  [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">',
    `<title>${plain(title)}</title><style>${STYLE}</style></head>`,
    `<body><main><h1>${plain(title)}</h1><p>${plain(text)}</p></main></body></html>`,
  ].join('')

/** Escapes HTML and the characters that nginx reads: a quote, a backslash or a variable. */
const plain = (text: string): string =>
  text.replace(/[^\p{L}\p{N} .,:;!?()@/+-]/gu, (letter) => `&#${letter.codePointAt(0)};`)
