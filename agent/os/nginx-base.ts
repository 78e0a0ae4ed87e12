import { MARK_LINE } from './generated.ts'

/** Where ACME tokens lie: one folder for all sites, so that nothing is written inside one. */
export const ACME_ROOT = '/var/lib/hosting-acme'

/** First location of every server: a token is served whatever else the server does. */
export const ACME_LOCATION = `    location ^~ /.well-known/acme-challenge/ {
        root ${ACME_ROOT};
        default_type text/plain;
        auth_basic off;
    }`

/** What the running nginx understands. */
export interface Abilities {
  ipv6: boolean
  /** `http2 on` (1.25.1 and newer) instead of a word of `listen`. */
  http2_directive: boolean
}

export const TLS_SETTINGS = `    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_session_cache shared:hosting_tls:10m;
    ssl_session_timeout 1d;
    ssl_session_tickets off;`

export function renderListen(
  port: 80 | 443,
  { ipv6, http2_directive }: Abilities,
  word = '',
): string {
  const tls = port === 443 ? ` ssl${http2_directive ? '' : ' http2'}` : ''
  const extra = word === '' ? tls : `${tls} ${word}`
  const lines = [`    listen ${port}${extra};`]
  if (ipv6) lines.push(`    listen [::]:${port}${extra};`)
  if (port === 443 && http2_directive) lines.push('    http2 on;')
  return lines.join('\n')
}

/**
 * conf.d/hosting.conf. `bucket`: a name of 253 characters does not fit into nginx's default of 64,
 * and then nothing starts; left out where nginx.conf sets it itself.
 */
export function renderBase({ bucket }: { bucket: boolean }): string {
  return `# ${MARK_LINE}
${bucket ? 'server_names_hash_bucket_size 512;\n' : ''}
log_format hosting '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
    '"$http_referer" "$http_user_agent" $server_protocol $request_time $upstream_response_time '
    '$upstream_cache_status';

# The page cache is for anonymous visitors of plain addresses: 1 skips it.
map $request_uri $hosting_skip_uri {
    default 0;
    "~\\?" 1;
    "~*^/(?:wp-admin|wp-login|wp-cron|wp-json|wp-signup|wp-activate|xmlrpc|cart|checkout|my-account)" 1;
    "~*(?:/feed|sitemap[^/]*\\.x[ms]l)" 1;
}
map $http_cookie $hosting_skip_cookie {
    default 0;
    "~*(?:wordpress|wp-postpass|wp-settings|comment_author|woocommerce|edd_|PHPSESSID)" 1;
}
map $http_authorization $hosting_skip_authorization {
    default 1;
    "" 0;
}

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

# Guessing passwords: an empty key is not counted.
map "$request_method:$uri" $hosting_login_key {
    default "";
    "~^POST:.*/wp-login\\.php$" $binary_remote_addr;
}
limit_req_zone $hosting_login_key zone=hosting_login:10m rate=30r/m;
`
}

/** The server for every name that is nobody's: tokens are served, everything else is closed. */
export function renderDefault(abilities: Abilities): string {
  return `# ${MARK_LINE}
server {
${renderListen(80, abilities, 'default_server')}
${renderListen(443, abilities, 'default_server')}
    server_name _;
${TLS_SETTINGS}
    ssl_reject_handshake on;
    access_log off;

${ACME_LOCATION}
    location / {
        return 444;
    }
}
`
}
