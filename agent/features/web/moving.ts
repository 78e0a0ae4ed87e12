import type { Site } from '#agent/kernel/site/sites.ts'
import { nginx, nginxAddress } from '#shared/kernel/formats/nginx.ts'
import { ACME_LOCATION } from './base.ts'

/** A closed copy answers here to the other server alone: a trial of the way that requests will take. */
export const TRIAL_PATH = '/.well-known/hosting-move'
export const TRIAL_ANSWER = 'arriving'
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'

/** Whether the virtual host has the test request of a move. */
export const answersTrial = ({ moving }: Pick<Site, 'moving'>): boolean =>
  moving?.challenges === true || moving?.closed === true

/** How the other server is reached: over TLS, if this one serves the site over TLS. */
export interface Way {
  domain: string
  to: string
  tls: boolean
  /** The certificate of the other server, if no authority has signed it: the path of a PEM file. */
  pinned: string | undefined
  /** In which the other server reads the address of the visitor. */
  header: string
}

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address)

/** The tokens of ACME, which the other server has if it requests the certificate. */
export const renderAcme = ({ moving }: Pick<Site, 'moving'>): string =>
  moving?.challenges && moving.to !== undefined
    ? nginx`    location ^~ /.well-known/acme-challenge/ {
        auth_basic off;
        proxy_pass http://${bracketed(moving.to)};
        proxy_set_header Host $host;
    }`
    : ACME_LOCATION

/** The lines of a location that forwards. The other server believes the address of the visitor. */
function renderProxy({ domain, to, tls, pinned, header }: Way): string {
  const lines = [
    nginx`proxy_pass ${tls ? 'https' : 'http'}://${bracketed(to)};`,
    'proxy_http_version 1.1;',
    'proxy_set_header Host $host;',
    nginx`proxy_set_header ${header} $remote_addr;`,
    'proxy_set_header Connection "";',
    'proxy_request_buffering off;',
    'proxy_read_timeout 3600s;',
    'proxy_send_timeout 3600s;',
  ]
  const verified = [
    'proxy_ssl_server_name on;',
    nginx`proxy_ssl_name ${domain};`,
    'proxy_ssl_verify on;',
    'proxy_ssl_verify_depth 5;',
    nginx`proxy_ssl_trusted_certificate ${pinned ?? AUTHORITIES};`,
  ]
  return [...lines, ...(tls ? verified : [])].map((line) => `        ${line}`).join('\n')
}

const TRIAL = `    location = ${TRIAL_PATH} {
        default_type text/plain;
        return 200 ${TRIAL_ANSWER};
    }
`

const PAGE =
  '<!doctype html><meta charset=utf-8><meta name=viewport content=width=device-width><title>Back in a moment</title><style>body{font:1.1em/1.5 system-ui;max-width:32em;margin:20vh auto;padding:0 1em}</style><h1>Back in a moment</h1><p>This website is moving to another server. Please try again in a minute.</p>'

/** The lines of a location that answers 503 with the page, and asks to come back. */
const BACK_SOON = `        default_type text/html;
        add_header Retry-After 30 always;
        add_header Cache-Control no-store always;
        return 503 '${PAGE}';
`

/** Nothing of the site runs. */
export const FROZEN = `    server_tokens off;
    location / {
${BACK_SOON}    }
`

/** Where a request is answered that the other server did not take or did not answer. */
const UNANSWERED = '@hosting_unanswered'

/**
 * Forwards everything to the other server; a copy that returns answers its trial. A failure of the
 * connection is the page of the move: the other server may be restarting or out of reach for a moment.
 */
export const renderForwarding = (
  way: Way,
  { moving }: Pick<Site, 'moving'>,
): string => `    client_max_body_size 0;
    server_tokens off;
${moving?.from ? TRIAL : ''}    error_page 502 504 = ${UNANSWERED};
    location / {
${renderProxy(way)}
    }
    location ${UNANSWERED} {
${BACK_SOON}    }
`

/** On the server of the site: the trial of the way, also for a site that asks for a password. */
export const renderTrial = (way: Way): string => `    location = ${TRIAL_PATH} {
        auth_basic off;
${renderProxy(way)}
    }
`

/** On the new server: until the switch only the other one is served, beside this machine. */
export function renderArriving({ moving }: Pick<Site, 'moving'>): string {
  if (!moving?.from || !moving.closed) return ''
  const addresses = [...moving.from, '127.0.0.1', '::1']
  const known = addresses.map((address) => nginxAddress(address)).join('|')
  return `    set $hosting_asked "$realip_remote_addr $uri";
    if ($hosting_asked !~ "^(?:(?:${known}) |[^ ]+ /\\.well-known/acme-challenge/)") {
        return 503;
    }
${TRIAL}`
}
