import { pausedPathOf } from '#agent/features/php/fpm-files.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { nginx, nginxText } from '#shared/kernel/formats/nginx.ts'

const RETRY_SECONDS = 10

const PAGE =
  '<!doctype html><meta charset=utf-8><meta name=viewport content=width=device-width><title>Back in a moment</title><style>body{font:1.1em/1.5 system-ui;max-width:32em;margin:20vh auto;padding:0 1em}</style><h1>Back in a moment</h1><p>This website is being updated. Please try again in a few seconds.</p>'

/** The location for a request to a program that does not exist. */
export const MISSING = '@hosting_missing'

/**
 * While an operation replaces the content of a site, its PHP is stopped, and a program may be missing
 * for a moment: visitors then get a page that says so, with Retry-After, in place of 502 and 404. nginx
 * needs no reload for that: a file says that the site is paused.
 */
export const renderPaused = (site: Site): string =>
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
