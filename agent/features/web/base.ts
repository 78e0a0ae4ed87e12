import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { TLS_CIPHERS } from '#shared/domains/tls-ciphers.ts'
import type { ListenPlaces } from './listen-places.ts'
import { VISITOR_LIMITS, VISITOR_ZONE } from './visitor-limits.ts'

/** The folder of ACME tokens: one for all sites, so that no token is written inside a site. */
export const ACME_ROOT = '/var/lib/hosting-acme'

/** The first location of every server, so that tokens are always served. */
export const ACME_LOCATION = `    location ^~ /.well-known/acme-challenge/ {
        root ${ACME_ROOT};
        default_type text/plain;
        auth_basic off;
    }`

/** The features of the running nginx. */
export interface Abilities {
  ipv6: boolean
  /** Whether nginx has `http2 on` (1.25.1 and newer) instead of a parameter of `listen`. */
  http2_directive: boolean
  /** The addresses beside foreign servers; undefined without any. */
  places?: ListenPlaces
}

export const TLS_SETTINGS = `    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_ciphers ${TLS_CIPHERS};
    ssl_prefer_server_ciphers off;
    ssl_session_cache shared:hosting_tls:10m;
    ssl_session_timeout 1d;
    ssl_session_tickets off;`

export function renderListen(
  port: 80 | 443,
  { ipv6, http2_directive, places }: Abilities,
  word = '',
): string {
  const http2 = !http2_directive && (places?.http2_word ?? true)
  const tls = port === 443 ? ` ssl${http2 ? ' http2' : ''}` : ''
  const extra = word === '' ? tls : `${tls} ${word}`
  const usual = ipv6 ? [`${port}`, `[::]:${port}`] : [`${port}`]
  const lines = (places?.addresses[port] ?? usual).map((place) => `    listen ${place}${extra};`)
  if (port === 443 && http2_directive) lines.push('    http2 on;')
  return lines.join('\n')
}

/**
 * Settings of a cache of open files, without which nginx checks paths for symbolic links again: the
 * open file was checked, even if a link replaces its name. For up to a second nginx serves the old
 * content of a replaced file.
 */
export const OPEN_FILES = ['open_file_cache max=256 inactive=10s;', 'open_file_cache_valid 1s;']

/** Allows objects of the site: PDF files of the media library are embedded as such. */
const BASIC_POLICY = "base-uri 'self'; object-src 'self'"
const FRAMES = "frame-ancestors 'self'"
/** Allows nothing from other hosts; WordPress needs inline code and compiled templates. */
const STRICT_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "media-src 'self' data: blob:",
  "worker-src 'self' blob:",
  "form-action 'self'",
  BASIC_POLICY,
  FRAMES,
].join('; ')

/**
 * Renders conf.d/hosting.conf, which affects no server that this agent did not create. `bucket` is
 * false if an administrator has set the size: a name of 253 characters does not fit into nginx's
 * default of 64, and then nginx does not start.
 */
export function renderBase(bucket: boolean): string {
  return `# ${MARK_LINE}
${bucket ? 'server_names_hash_bucket_size 512;\n' : ''}
log_format hosting '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
    '"$http_referer" "$http_user_agent" $server_protocol $request_time $upstream_response_time '
    '$upstream_cache_status';

${renderCacheRules()}
${VISITOR_ZONE}

# A header that the site sets itself is not set twice.
map $upstream_http_x_frame_options $hosting_frame_options {
    default "";
    "" SAMEORIGIN;
}
map $upstream_http_x_content_type_options $hosting_content_type_options {
    default "";
    "" nosniff;
}
map $upstream_http_referrer_policy $hosting_referrer_policy {
    default "";
    "" strict-origin-when-cross-origin;
}

# What every WordPress can live with: its scripts and styles may come from anywhere. A site with a policy
# of its own has only that one, and one that names who may frame it decides that itself.
map "$scheme:$upstream_http_content_security_policy:$upstream_http_x_frame_options" $hosting_csp {
    default "";
    "http::" "${BASIC_POLICY}; ${FRAMES}";
    "~^http::." "${BASIC_POLICY}";
    "https::" "${BASIC_POLICY}; ${FRAMES}; upgrade-insecure-requests";
    "~^https::." "${BASIC_POLICY}; upgrade-insecure-requests";
}
map $upstream_http_content_security_policy_report_only $hosting_csp_report {
    default "";
    "" "${STRICT_POLICY}";
}

# Guessing passwords: an empty key is not counted.
map "$request_method:$uri" $hosting_login_key {
    default "";
    "~^POST:.*/wp-login\\.php$" $binary_remote_addr;
}
limit_req_zone $hosting_login_key zone=hosting_login:10m rate=30r/m;

# A request to xmlrpc.php carries a password, too, and WordPress tries one for each; the services of
# Jetpack ask in bursts.
map "$request_method:$uri" $hosting_xmlrpc_key {
    default "";
    "~*^POST:.*/xmlrpc\\.php$" $binary_remote_addr;
}
limit_req_zone $hosting_xmlrpc_key zone=hosting_xmlrpc:10m rate=60r/m;

# The server runs what is due by itself: nobody has to ask for it, except Site Health, which tests with
# this address whether WordPress reaches itself. The limit is of the site, and not of an address.
map $uri $hosting_cron_key {
    default "";
    "~*/wp-cron\\.php$" $server_name;
}
limit_req_zone $hosting_cron_key zone=hosting_cron:1m rate=10r/m;
`
}

/** Renders the server for all unknown names, which serves only tokens. */
export function renderDefault(abilities: Abilities, ports: readonly (80 | 443)[]): string {
  return `# ${MARK_LINE}
server {
${ports.map((port) => renderListen(port, abilities, 'default_server')).join('\n')}
    server_name _;
${TLS_SETTINGS}
    ssl_reject_handshake on;
    access_log off;
${VISITOR_LIMITS}
${ACME_LOCATION}
    location / {
        return 444;
    }
}
`
}

/**
 * The arguments with which newsletters and advertisements count clicks: scripts in the browser read
 * them, and no page depends on them. Names are regular expressions (PCRE).
 */
const TRACKING = [
  'utm_[a-z_]+',
  'gclid|gclsrc|gbraid|wbraid|dclid|gad_source|gad_campaignid|srsltid|_ga|_gl',
  'fbclid|igshid|igsh|msclkid|ttclid|twclid|yclid|ysclid|li_fat_id|epik|rdt_cid|ScCid',
  'mc_cid|mc_eid|mkt_tok|_hsenc|_hsmi|_ke|_kx|vero_id|s_kwcid|ef_id',
  '(?:mtm|pk)_(?:campaign|kwd|keyword|source|medium|content|cid|group|placement)',
].join('|')

const TRACKING_ONLY = `(?:(?:${TRACKING})(?:=[^&]*)?(?:&|$))*$`

/** The path components that are never stored, also below a folder or a language; also `cart-2`. */
const DYNAMIC = [
  'wp-admin',
  'wp-login',
  'wp-cron',
  'wp-json',
  'wp-signup',
  'wp-activate',
  'xmlrpc',
  'cart',
  'basket',
  'checkout',
  'my-account',
  'order-pay',
  'order-received',
  'wc-api',
].join('|')

/**
 * Parts of the names of cookies that identify visitors: of WordPress, shops, sessions, carts and
 * logins. Names with the prefixes of tracking scripts do not count, since every visitor has them:
 * `sbjs_session` is of WooCommerce's order attribution.
 */
const PERSONAL = [
  'wordpress|wp-postpass|wp-settings|comment_author|woocommerce|edd_',
  'sess(?:ion|id)|cart|basket|currency|auth|token',
].join('|')
const OF_SCRIPTS = '\\s|_(?!_Host-|_Secure-)|sbjs_|intercom-'

/**
 * Renders the maps of the http block for the page caches of all sites. `$hosting_skip_…` is 1 if
 * the cache is neither read nor written. `$hosting_asked_uri` and `$hosting_asked_query` are both
 * what PHP receives and the key of a page, so that PHP never sees an argument that is not part of
 * the key of a stored page, and cannot write it into a page for others.
 */
export function renderCacheRules(): string {
  return `# The page cache is for anonymous visitors of plain addresses: 1 skips it. The first match decides.
# An address that is written in another way than browsers and WordPress do is not looked at closer.
map $request_uri $hosting_skip_uri {
    default 1;
    "~*^/(?:[^?]*/)?(?:${DYNAMIC})(?:[-/.?]|$)" 1;
    "~*^[^?]*(?:/feed|sitemap[^/?]*\\.x[ms]l)" 1;
    "~*^[^?]*(?://|/\\.|%[2-7][0-9a-f])" 1;
    "~^/[^?]*(?:\\?${TRACKING_ONLY}|$)" 0;
}
map $http_cookie $hosting_skip_cookie {
    default 0;
    "~*(?:^|;\\s*)(?!${OF_SCRIPTS})[^=;]*(?:${PERSONAL})[^=;]*=" 1;
}
map $http_authorization $hosting_skip_authorization {
    default 1;
    "" 0;
}
map $request_uri $hosting_path {
    "~^(?<hosting_found>[^?]*)" $hosting_found;
}
map "$request_method $hosting_skip_uri$hosting_skip_cookie$hosting_skip_authorization" $hosting_stored {
    default "";
    "GET 000" 1;
    "HEAD 000" 1;
}
map $hosting_stored $hosting_asked_uri {
    default $request_uri;
    1 $hosting_path;
}
map $hosting_stored $hosting_asked_query {
    default $query_string;
    1 "";
}
`
}
