import { pageCacheOf } from '#agent/kernel/site/paths.ts'
import { hasPageCache } from '#agent/kernel/site/settings.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Limits } from '#agent/kernel/site/tiers.ts'
import { nginx, nginxPattern, nginxVariable } from '#shared/kernel/formats/nginx.ts'
import { variableOf } from './variables.ts'

const zoneOf = ({ user }: Site) => `hosting_${user}`

/** The parts of an address that PHP receives: without a cache all of them. */
interface Asked {
  uri: string
  query: string
}

export function askedOf(site: Site): Asked {
  if (!hasPageCache(site)) return { uri: '$request_uri', query: '$query_string' }
  if (!isExcluding(site)) return { uri: '$hosting_asked_uri', query: '$hosting_asked_query' }
  return { uri: variableOf('asked_uri', site), query: variableOf('asked_query', site) }
}

function isExcluding({ settings }: Site): boolean {
  const { paths = [], cookies = [] } = settings?.page_cache ?? {}
  return paths.length + cookies.length > 0
}

/** Of the http block: the zone of the cache, and what the site keeps out of it. */
export function renderPageCacheZone(site: Site, { cache: { keys, size } }: Limits): string {
  if (!hasPageCache(site)) return ''
  const zone = nginx`fastcgi_cache_path ${pageCacheOf(site.user)} levels=1:2 keys_zone=${zoneOf(site)}:${keys}m max_size=${size}m inactive=10m use_temp_path=off;\n`
  return isExcluding(site) ? `${zone}${renderExclusions(site)}` : zone
}

function renderExclusions(site: Site): string {
  const { paths = [], cookies = [] } = site.settings?.page_cache ?? {}
  const [path, cookie] = [variableOf('own_path', site), variableOf('own_cookie', site)]
  const { uri, query } = askedOf(site)
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

/** Short, so that no visitor waits for a purge; the site's Set-Cookie and Cache-Control count. */
export function renderPageCache(site: Site): string {
  if (!hasPageCache(site)) return ''
  const own = [variableOf('own_path', site), variableOf('own_cookie', site)]
  const skip = [
    ...['$hosting_skip_uri', '$hosting_skip_cookie', '$hosting_skip_authorization'],
    ...(isExcluding(site) ? own : []),
  ].map(nginxVariable)
  return nginx`        fastcgi_cache ${zoneOf(site)};
        fastcgi_cache_key $scheme$request_method$host${nginxVariable(askedOf(site).uri)};
        fastcgi_cache_valid 200 30s;
        fastcgi_cache_bypass ${skip};
        fastcgi_no_cache ${skip};
        fastcgi_cache_lock on;
        fastcgi_cache_use_stale error timeout updating http_500 http_503;`
}
