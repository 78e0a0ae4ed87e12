import type { Host } from '#agent/host/ports.ts'
import { LOGIN_PATH } from '#shared/login-path.ts'
import { availablePath } from './link.ts'

/** The tokens are much shorter. */
const MOST_BYTES = '4k'

/**
 * Where a token of the dashboard is exchanged for a session of WordPress. Only POST reaches PHP: the
 * preview of a link must not use up a token. `fastcgi`: the directives that run root's program.
 */
export const renderLogin = (fastcgi: string): string =>
  `    location = ${LOGIN_PATH} {
        limit_except POST {
            deny all;
        }
        client_max_body_size ${MOST_BYTES};
${fastcgi}
    }
`

/** Whether the virtual host of a site knows the address; one of an older agent does not. */
export async function takesLogins(
  { files }: Pick<Host, 'files'>,
  domain: string,
): Promise<boolean> {
  const vhost = await files.read(availablePath(domain))
  return vhost?.includes(`location = ${LOGIN_PATH} {`) === true
}
