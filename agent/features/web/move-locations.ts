import type { Site } from '#agent/kernel/site/sites.ts'
import { nginx, nginxAddress } from '#shared/kernel/formats/nginx.ts'
import { ACME_LOCATION } from './base.ts'

/** The path at which a closed copy answers only the other server: a test of the way of requests. */
export const TEST_PATH = '/.well-known/hosting-move'
export const TEST_ANSWER = 'arriving'
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'

/** Returns whether the virtual host has the test request of a move. */
export const answersTestRequest = ({ moving }: Pick<Site, 'moving'>): boolean =>
  moving?.challenges === true || moving?.closed === true

/** The target of forwarded requests. TLS if this server serves the site by TLS. */
export interface ForwardTarget {
  domain: string
  to: string
  tls: boolean
  /** The path of a PEM file with the certificate of the other server if no authority signed it. */
  pinned: string | undefined
  /** The header from which the other server reads the address of the visitor. */
  header: string
}

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address)

/** Forwards the tokens of ACME to the other server if it requests the certificate. */
export const renderAcme = ({ moving }: Pick<Site, 'moving'>): string =>
  moving?.challenges && moving.to !== undefined
    ? nginx`    location ^~ /.well-known/acme-challenge/ {
        auth_basic off;
        proxy_pass http://${bracketed(moving.to)};
        proxy_set_header Host $host;
    }`
    : ACME_LOCATION

/** Renders a location that forwards. The other server trusts the address of the visitor. */
function renderProxy({ domain, to, tls, pinned, header }: ForwardTarget): string {
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

const TEST_LOCATION = `    location = ${TEST_PATH} {
        default_type text/plain;
        return 200 ${TEST_ANSWER};
    }
`

const PAGE =
  '<!doctype html><meta charset=utf-8><meta name=viewport content=width=device-width><title>Back in a moment</title><style>body{font:1.1em/1.5 system-ui;max-width:32em;margin:20vh auto;padding:0 1em}</style><h1>Back in a moment</h1><p>This website is moving to another server. Please try again in a minute.</p>'

/** The lines of a location that answers 503 with the page, and asks to come back. */
const UNAVAILABLE_PAGE = `        default_type text/html;
        add_header Retry-After 30 always;
        add_header Cache-Control no-store always;
        return 503 '${PAGE}';
`

/** The locations of a frozen site, of which nothing runs. */
export const FROZEN_LOCATION = `    server_tokens off;
    location / {
${UNAVAILABLE_PAGE}    }
`

/** The location for requests that the other server did not take or did not answer. */
const UNANSWERED = '@hosting_unanswered'

/**
 * Forwards everything to the other server; a copy that returns answers its test request. A failure
 * of the connection shows the page of the move: the other server may be restarting or unreachable
 * for a moment.
 */
export const renderForwarding = (
  way: ForwardTarget,
  { moving }: Pick<Site, 'moving'>,
): string => `    client_max_body_size 0;
    server_tokens off;
${moving?.from ? TEST_LOCATION : ''}    error_page 502 504 = ${UNANSWERED};
    location / {
${renderProxy(way)}
    }
    location ${UNANSWERED} {
${UNAVAILABLE_PAGE}    }
`

/** Renders the test request on the server of the site, also for a site that asks for a password. */
export const renderTestForwarding = (way: ForwardTarget): string => `    location = ${TEST_PATH} {
        auth_basic off;
${renderProxy(way)}
    }
`

/** Renders the restriction before the switch: only the other server and this machine. */
export function renderArriving({ moving }: Pick<Site, 'moving'>): string {
  if (!moving?.from || !moving.closed) return ''
  const addresses = [...moving.from, '127.0.0.1', '::1']
  const known = addresses.map((address) => nginxAddress(address)).join('|')
  return `    set $hosting_asked "$realip_remote_addr $uri";
    if ($hosting_asked !~ "^(?:(?:${known}) |[^ ]+ /\\.well-known/acme-challenge/)") {
        return 503;
    }
${TEST_LOCATION}`
}
