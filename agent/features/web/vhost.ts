import { pausedPathOf } from '#agent/features/php/fpm-files.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { docrootOf, homeOf, LOGIN_PHP, logsOf, pageCacheOf } from '#agent/kernel/site/paths.ts'
import { hasPageCache } from '#agent/kernel/site/settings.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { TierLimits } from '#agent/kernel/site/tiers.ts'
import { nginx, nginxPattern, nginxText, nginxVariable } from '#shared/kernel/formats/nginx.ts'
import { servedNamesOf } from '#shared/kernel/site-names.ts'
import { LOGIN_PATH } from '#shared/wordpress/login-path.ts'
import { type Abilities, OPEN_FILES, renderListen, TLS_SETTINGS } from './base.ts'
import { renderClosedMap, renderClosedPage } from './closed-page.ts'
import * as moving from './move-locations.ts'
import { variableOf } from './nginx-variable.ts'
import { passwordParameters, renderProtection, renderRobots } from './password-protection.ts'
import { type Certificate, renderRedirects, securedNames } from './redirects.ts'
import { renderVisitor, visitorHeaderOf } from './visitor.ts'
import { VISITOR_LIMITS } from './visitor-limits.ts'

export interface Vhost {
  site: Site
  /** The PHP version of the PHP-FPM that answers. */
  socket: string
  limits: TierLimits
  abilities: Abilities
  certificate: Certificate | undefined
  /** The path of the certificate of the other server of a move, if no authority has signed it. */
  pinned?: string | undefined
  /** The networks that root adds to those of its CDN. */
  networks?: readonly string[]
}

/** Renders the file of one site: its cache zone and its servers (locations in nginx's order). */
export function renderVhost(vhost: Vhost): string {
  const { site, limits } = vhost
  const way = forwardTargetOf(vhost)
  if (site.moving?.parted && way)
    return renderServers(vhost, renderClosedServer(vhost, moving.renderForwarding(way, site)))
  const head = `${renderPageCacheZone(site, limits)}${renderClosedMap(site)}`
  return renderServers(vhost, renderSite(vhost), head)
}

/** Renders the file while nothing of the site runs; its root identifies it, and serves nothing. */
export const renderFrozen = (vhost: Vhost): string => {
  const root = nginx`    root ${docrootOf(vhost.site.user)};\n`
  return renderServers(vhost, renderClosedServer(vhost, `${root}${moving.FROZEN_LOCATION}`))
}

const renderClosedServer = ({ site, networks }: Vhost, content: string) => nginx`
${VISITOR_LIMITS}${renderVisitor(site, networks)}    access_log ${logsOf(site.user)}/access.log hosting;
    error_log ${logsOf(site.user)}/error.log;

${moving.renderAcme(site)}
${content}`

function forwardTargetOf({ site, certificate, pinned }: Vhost): moving.ForwardTarget | undefined {
  const to = site.moving?.to
  return to === undefined
    ? to
    : { domain: site.domain, to, tls: !!certificate, pinned, header: visitorHeaderOf(site) }
}

function renderServers(vhost: Vhost, content: string, zone = ''): string {
  const { site, abilities, certificate, networks } = vhost
  const names = renderNames(servedNamesOf(site))
  const head = `# ${MARK_LINE}\n${zone}`
  if (!certificate) {
    return nginx`${head}
server {
${renderListen(80, abilities)}
${names}
${content}}
${renderRedirects(vhost)}`
  }
  return nginx`${head}
server {
${renderListen(80, abilities)}
${renderNames(securedNames(site, certificate))}
${VISITOR_LIMITS}${renderVisitor(site, networks)}    access_log ${logsOf(site.user)}/access.log hosting;
    error_log ${logsOf(site.user)}/error.log;

${moving.renderAcme(site)}
    location / {
        return 301 https://$host$request_uri;
    }
}

server {
${renderListen(443, abilities)}
${names}
    ssl_certificate ${certificate.fullchain};
    ssl_certificate_key ${certificate.privkey};
${TLS_SETTINGS}
${content}}
${renderRedirects(vhost)}`
}

const renderNames = (names: readonly string[]) => nginx`    server_name ${names};`

function renderSite(vhost: Vhost): string {
  const { site, limits, certificate, networks } = vhost
  const way = site.moving?.challenges ? forwardTargetOf(vhost) : undefined
  return nginx`
    root ${docrootOf(site.user)};
    index index.php index.html;
    disable_symlinks if_not_owner from=${homeOf(site.user)};
${OPEN_FILES.map((line) => `    ${line}`).join('\n')}
    client_max_body_size ${limits.upload + 1}m;
    server_tokens off;
${VISITOR_LIMITS}    access_log ${logsOf(site.user)}/access.log hosting;
    error_log ${logsOf(site.user)}/error.log;
    gzip_vary on;
    gzip_types text/css text/plain text/xml application/javascript application/json application/manifest+json application/xml application/rss+xml application/atom+xml application/wasm font/ttf image/svg+xml;
    limit_req_status 429;

${HEADERS}${renderPolicy(site)}${renderHsts(site, certificate)}${renderProtection(site)}${renderClosedPage(site)}${renderVisitor(site, networks)}${moving.renderArriving(site)}
${moving.renderAcme(site)}
${way ? moving.renderTestForwarding(way) : ''}${renderRobots(site)}${renderLogin(renderFastcgi(vhost, LOGIN_PHP))}${site.xmlrpc === false ? NO_XMLRPC : ''}${DENIED.join('')}${site.settings?.xmlrpc === 'jetpack' ? renderXmlrpc(vhost) : ''}${STATIC}
${renderPhp(vhost)}
${FOLDERS}
    location / {
        try_files $uri $uri/ /index.php?$args;
    }
${renderPaused(site)}`
}

/**
 * Directives for locations that send no file: nginx then finds a program that only its owner may
 * read (0600), which PHP-FPM opens as the site. With either directive of the server nginx would
 * open it itself, and fail.
 */
const FOUND_ONLY = `        open_file_cache off;
        disable_symlinks off;
`

/** The location of folders: an index is answered by another location, which checks links. */
const FOLDERS = `    location ~ /$ {
${FOUND_ONLY}        try_files $uri/ /index.php?$args;
    }`

const renderPhp = (vhost: Vhost) => `    location ~ \\.php$ {
${FOUND_ONLY}        try_files $uri ${MISSING};
        limit_req zone=hosting_login burst=10 nodelay;
        limit_req zone=hosting_xmlrpc burst=30 nodelay;
        limit_req zone=hosting_cron burst=5 nodelay;
${renderFastcgi(vhost)}
${renderPageCache(vhost.site)}
    }`

/** Comes after the denied locations, whose files may have the same name. */
const renderXmlrpc = (vhost: Vhost) => `    location ~* /xmlrpc\\.php$ {
${renderJetpackOnly()}${FOUND_ONLY}        try_files $uri ${MISSING};
        limit_req zone=hosting_xmlrpc burst=30 nodelay;
${renderFastcgi(vhost)}
    }
`

/** Headers of the server: an add_header in a location would drop all of these there. */
const HEADERS = `    add_header X-Content-Type-Options $hosting_content_type_options always;
    add_header X-Frame-Options $hosting_frame_options always;
    add_header Referrer-Policy $hosting_referrer_policy always;
    add_header X-Cache $upstream_cache_status always;
`

/** Renders variables of conf.d/hosting.conf, empty where the site sends the header itself. */
function renderPolicy({ settings }: Site): string {
  if (settings?.csp === 'off') return ''
  const report = '    add_header Content-Security-Policy-Report-Only $hosting_csp_report always;\n'
  return `    add_header Content-Security-Policy $hosting_csp always;
${settings?.csp === 'report' ? report : ''}`
}

/** The values of HSTS; `off` ends an earlier one in browsers. */
const HSTS = {
  on: 'max-age=31536000',
  subdomains: 'max-age=31536000; includeSubDomains',
  off: 'max-age=0',
} as const

function renderHsts({ tls, settings }: Site, certificate: Certificate | undefined): string {
  if (certificate?.self_signed !== false || tls !== 'letsencrypt') return ''
  return `    add_header Strict-Transport-Security "${HSTS[settings?.hsts ?? 'on']}" always;\n`
}

/** The location of static files; missing ones, as robots.txt, go to WordPress. */
const STATIC = `    location ~* \\.(?:css|js|mjs|map|json|ico|gif|jpe?g|png|webp|avif|svg|woff2?|ttf|otf|eot|mp4|webm|mp3|pdf)$ {
        expires 7d;
        log_not_found off;
        try_files $uri /index.php?$args;
    }`

const tlsParameters = (certificate: Certificate | undefined) =>
  certificate ? ['PHP_VALUE "session.cookie_secure=1"'] : []

const REQUESTED = '$document_root$fastcgi_script_name'

/** Renders all parameters, so that no other file of the machine decides what PHP receives. */
function renderFastcgi({ site, socket, limits, certificate }: Vhost, script = REQUESTED): string {
  const { uri, query } = forwardedPartsOf(site)
  const parameters = [
    `SCRIPT_FILENAME ${script}`,
    `QUERY_STRING ${query}`,
    'REQUEST_METHOD $request_method',
    'CONTENT_TYPE $content_type',
    'CONTENT_LENGTH $content_length',
    'SCRIPT_NAME $fastcgi_script_name',
    `REQUEST_URI ${uri}`,
    'DOCUMENT_URI $document_uri',
    'DOCUMENT_ROOT $document_root',
    'SERVER_PROTOCOL $server_protocol',
    'REQUEST_SCHEME $scheme',
    'HTTPS $https if_not_empty',
    'GATEWAY_INTERFACE CGI/1.1',
    'SERVER_SOFTWARE nginx',
    'REMOTE_ADDR $remote_addr',
    'REMOTE_PORT $remote_port',
    'SERVER_ADDR $server_addr',
    'SERVER_PORT $server_port',
    'SERVER_NAME $host',
    'HTTP_HOST $host',
    'HTTP_PROXY ""',
    'REDIRECT_STATUS 200',
    ...tlsParameters(certificate),
    ...passwordParameters(site),
  ]
  return [
    nginx`fastcgi_pass unix:${socket};`,
    nginx`fastcgi_read_timeout ${limits.execution_time + 10}s;`,
    'fastcgi_buffer_size 32k;',
    'fastcgi_buffers 16 16k;',
    'fastcgi_hide_header X-Powered-By;',
    ...parameters.map((parameter) => `fastcgi_param ${parameter};`),
  ]
    .map((line) => `        ${line}`)
    .join('\n')
}

/** The addresses of Jetpack: https://jetpack.com/ips-v4.txt of 2026-09-29; none exists for IPv6. */
const JETPACK = [
  '122.248.245.244',
  '54.217.201.243',
  '54.232.116.4',
  '192.0.64.0/18',
  '195.234.108.0/22',
]

/** Renders lines of a location, of which the first one that matches decides. */
const renderJetpackOnly = (): string =>
  [...JETPACK.map((network) => `allow ${network};`), 'deny all;']
    .map((line) => `        ${line}\n`)
    .join('')

const deniedLocation = (pattern: string) => `    location ${pattern} {
        deny all;
    }
`
const NO_XMLRPC = deniedLocation('~* /xmlrpc\\.php$')

/** The denied locations, before all others: the first expression that matches wins. */
const DENIED = [
  '~ /\\.(?!well-known/)',
  '~* /(?:uploads|files|blogs\\.dir|upgrade|cache)/.*\\.ph(?:p\\d*|tml|ar|ps|t)(?:/|$)',
  '~* ^/wp-includes/(?!ms-files\\.php$|js/tinymce/wp-tinymce\\.php$).*\\.php$',
  '~* ^/wp-admin/(?:install|setup-config)\\.php$',
  '~* /wp-config[^/]*(?:\\.[^/]*|~)$',
  '~* (?:\\.(?:bak|old|orig|save|sql|log|sw[op]|pem|key|inc|sh|phps|phtml|phar)|~)$',
  '~* ^/(?!wp-content/uploads/).*\\.(?:tar|gz|tgz|bz2|xz|zst|zip|7z|rar)$',
  '~* /(?:readme|license|licence|changelog)\\.(?:txt|md|html)$',
  '~* /(?:composer|package|package-lock|yarn|auth)\\.(?:json|lock)$',
].map(deniedLocation)

/** The limit of a login request, whose token is much shorter. */
const MAX_BYTES = '4k'

/**
 * Renders the location where a token of the dashboard is exchanged for a session of WordPress. Only
 * POST reaches PHP: the preview of a link must not use up a token. `fastcgi` are the directives
 * that run root's program.
 */
const renderLogin = (fastcgi: string): string =>
  `    location = ${LOGIN_PATH} {
        limit_except POST {
            deny all;
        }
        client_max_body_size ${MAX_BYTES};
${fastcgi}
    }
`

const RETRY_SECONDS = 10

const PAGE =
  '<!doctype html><meta charset=utf-8><meta name=viewport content=width=device-width><title>Back in a moment</title><style>body{font:1.1em/1.5 system-ui;max-width:32em;margin:20vh auto;padding:0 1em}</style><h1>Back in a moment</h1><p>This website is being updated. Please try again in a few seconds.</p>'

/** The location for a request to a program that does not exist. */
const MISSING = '@hosting_missing'

/**
 * Renders the page during an operation that replaces the content of a site, whose PHP is stopped,
 * and whose programs may be missing for a moment: with Retry-After, in place of 502 and 404. nginx
 * needs no reload for that: a file says that the site is paused.
 */
const renderPaused = (site: Site): string =>
  `    error_page 502 = @hosting_paused;
${renderLocation(site, '@hosting_paused', 502)}${renderLocation(site, MISSING, 404)}`

const renderLocation = (
  { user }: Site,
  name: string,
  status: 404 | 502,
) => nginx`    location ${name} {
        open_file_cache off;
        disable_symlinks off;
        default_type text/html;
        if (-f ${pausedPathOf(user)}) {
            add_header Retry-After ${RETRY_SECONDS} always;
            add_header Cache-Control no-store always;
            add_header X-Content-Type-Options nosniff always;
            return 503 ${nginxText(PAGE)};
        }
        return ${status};
    }
`

const zoneOf = ({ user }: Site) => `hosting_${user}`

/** The parts of an address that PHP receives; without a cache all of them. */
interface ForwardedParts {
  uri: string
  query: string
}

export function forwardedPartsOf(site: Site): ForwardedParts {
  if (!hasPageCache(site)) return { uri: '$request_uri', query: '$query_string' }
  if (!isExcluding(site)) return { uri: '$hosting_asked_uri', query: '$hosting_asked_query' }
  return { uri: variableOf('asked_uri', site), query: variableOf('asked_query', site) }
}

function isExcluding({ settings }: Site): boolean {
  const { paths = [], cookies = [] } = settings?.page_cache ?? {}
  return paths.length + cookies.length > 0
}

/** Renders the part of the http block for the page cache of a site: its zone and exceptions. */
export function renderPageCacheZone(site: Site, { cache: { keys, size } }: TierLimits): string {
  if (!hasPageCache(site)) return ''
  const zone = nginx`fastcgi_cache_path ${pageCacheOf(site.user)} levels=1:2 keys_zone=${zoneOf(site)}:${keys}m max_size=${size}m inactive=10m use_temp_path=off;\n`
  return isExcluding(site) ? `${zone}${renderExclusions(site)}` : zone
}

function renderExclusions(site: Site): string {
  const { paths = [], cookies = [] } = site.settings?.page_cache ?? {}
  const [path, cookie] = [variableOf('own_path', site), variableOf('own_cookie', site)]
  const { uri, query } = forwardedPartsOf(site)
  return nginx`map $hosting_path ${nginxVariable(path)} {
    default "";
${paths.map((one) => nginx`    "~*^${nginxPattern(one)}(?:/|$)" 1;\n`).join('')}}
map $http_cookie ${nginxVariable(cookie)} {
    default "";
${cookies.map((one) => nginx`    "~*(?:^|;\\s*)${nginxPattern(one)}[^=;]*=" 1;\n`).join('')}}
map "$hosting_stored:${nginxVariable(path)}${nginxVariable(cookie)}" ${nginxVariable(uri)} {
    default $request_uri;
    "1:" $hosting_path;
}
map "$hosting_stored:${nginxVariable(path)}${nginxVariable(cookie)}" ${nginxVariable(query)} {
    default $query_string;
    "1:" "";
}
`
}

/** Renders a short cache, so that nobody waits for a purge; Cache-Control counts. */
export function renderPageCache(site: Site): string {
  if (!hasPageCache(site)) return ''
  const own = [variableOf('own_path', site), variableOf('own_cookie', site)]
  const skip = [
    '$hosting_skip_uri',
    '$hosting_skip_cookie',
    '$hosting_skip_authorization',
    ...(isExcluding(site) ? own : []),
  ].map(nginxVariable)
  return nginx`        fastcgi_cache ${zoneOf(site)};
        fastcgi_cache_key $scheme$request_method$host${nginxVariable(forwardedPartsOf(site).uri)};
        fastcgi_cache_valid 200 30s;
        fastcgi_cache_bypass ${skip};
        fastcgi_no_cache ${skip};
        fastcgi_cache_lock on;
        fastcgi_cache_use_stale error timeout updating http_500 http_503;`
}
