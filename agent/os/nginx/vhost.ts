import { MARK_LINE } from '#agent/os/effects/generated.ts'
import { docrootOf, logsOf, pageCacheOf } from '#agent/os/site/paths.ts'
import { namesOf, type Site } from '#agent/os/site/sites.ts'
import type { Limits } from '#agent/os/site/tiers.ts'
import { type Abilities, ACME_LOCATION, OPEN_FILES, renderListen, TLS_SETTINGS } from './base.ts'

/** Paths of PEM files, and whether browsers trust no authority of them. */
export interface Certificate {
  fullchain: string
  privkey: string
  self_signed: boolean
}

export interface Vhost {
  site: Site
  /** The PHP version of the PHP-FPM that answers. */
  socket: string
  limits: Limits
  abilities: Abilities
  certificate: Certificate | undefined
}

/** The file of one site: its cache zone and its servers (locations in the order nginx tries them). */
export function renderVhost(vhost: Vhost): string {
  const { site, limits, abilities, certificate } = vhost
  const zone = `hosting_${site.user}`
  const { keys, size } = limits.cache
  const names = `    server_name ${namesOf(site.domain).join(' ')};`
  const head = `# ${MARK_LINE}
fastcgi_cache_path ${pageCacheOf(site.user)} levels=1:2 keys_zone=${zone}:${keys}m max_size=${size}m inactive=10m use_temp_path=off;
`
  if (!certificate) {
    return `${head}
server {
${renderListen(80, abilities)}
${names}
${renderSite(vhost, zone)}}
`
  }
  return `${head}
server {
${renderListen(80, abilities)}
${names}
    access_log ${logsOf(site.user)}/access.log hosting;
    error_log ${logsOf(site.user)}/error.log;

${ACME_LOCATION}
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
${renderSite(vhost, zone)}}
`
}

function renderSite({ site, socket, limits, certificate }: Vhost, zone: string): string {
  return `
    root ${docrootOf(site.user)};
    index index.php index.html;
    disable_symlinks if_not_owner from=$document_root;
${OPEN_FILES.map((line) => `    ${line}`).join('\n')}
    client_max_body_size ${limits.upload + 1}m;
    server_tokens off;
    access_log ${logsOf(site.user)}/access.log hosting;
    error_log ${logsOf(site.user)}/error.log;
    gzip_vary on;
    gzip_types text/css text/plain text/xml application/javascript application/json application/xml image/svg+xml;
    limit_req_status 429;

${HEADERS}${certificate?.self_signed === false && site.tls === 'letsencrypt' ? HSTS : ''}
${ACME_LOCATION}
${site.xmlrpc === false ? NO_XMLRPC : ''}${DENIED.join('')}${STATIC}
    location ~ \\.php$ {
        try_files $uri =404;
        limit_req zone=hosting_login burst=10 nodelay;
        limit_req zone=hosting_xmlrpc burst=30 nodelay;
${renderFastcgi(socket, limits, certificate !== undefined)}
${renderCache(zone)}
    }
    location / {
        try_files $uri $uri/ /index.php?$args;
    }
`
}

/** On the server only: an add_header in a location would drop all of these there. */
const HEADERS = `    add_header X-Content-Type-Options $hosting_content_type_options always;
    add_header X-Frame-Options $hosting_frame_options always;
    add_header Referrer-Policy $hosting_referrer_policy always;
    add_header X-Cache $upstream_cache_status always;
`
const HSTS = '    add_header Strict-Transport-Security "max-age=31536000" always;\n'

const denied = (pattern: string) => `    location ${pattern} {
        deny all;
    }
`
const NO_XMLRPC = denied('~* /xmlrpc\\.php$')

/** Before everything that serves: the first regular expression that matches wins. */
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
].map(denied)

/** Missing files go to WordPress, which generates robots.txt and sitemaps itself. */
const STATIC = `    location ~* \\.(?:css|js|mjs|map|json|ico|gif|jpe?g|png|webp|avif|svg|woff2?|ttf|otf|eot|mp4|webm|mp3|pdf)$ {
        expires 7d;
        log_not_found off;
        try_files $uri /index.php?$args;
    }`

/** All parameters, so that no other file of the machine decides what PHP receives. */
function renderFastcgi(socket: string, limits: Limits, tls: boolean): string {
  const parameters = [
    'SCRIPT_FILENAME $document_root$fastcgi_script_name',
    'QUERY_STRING $hosting_asked_query',
    'REQUEST_METHOD $request_method',
    'CONTENT_TYPE $content_type',
    'CONTENT_LENGTH $content_length',
    'SCRIPT_NAME $fastcgi_script_name',
    'REQUEST_URI $hosting_asked_uri',
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
  ]
  if (tls) parameters.push('PHP_VALUE "session.cookie_secure=1"')
  return [
    `fastcgi_pass unix:${socket};`,
    `fastcgi_read_timeout ${limits.execution_time + 10}s;`,
    'fastcgi_buffer_size 32k;',
    'fastcgi_buffers 16 16k;',
    'fastcgi_hide_header X-Powered-By;',
    ...parameters.map((parameter) => `fastcgi_param ${parameter};`),
  ]
    .map((line) => `        ${line}`)
    .join('\n')
}

/** Short, so that no visitor waits for a purge; the site's Set-Cookie and Cache-Control count. */
function renderCache(zone: string): string {
  const skip = '$hosting_skip_uri $hosting_skip_cookie $hosting_skip_authorization'
  return `        fastcgi_cache ${zone};
        fastcgi_cache_key $scheme$request_method$host$hosting_asked_uri;
        fastcgi_cache_valid 200 30s;
        fastcgi_cache_bypass ${skip};
        fastcgi_no_cache ${skip};
        fastcgi_cache_lock on;
        fastcgi_cache_use_stale error timeout updating http_500 http_503;`
}
