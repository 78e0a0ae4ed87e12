import { LOGIN_PATH } from '#shared/wordpress/login-path.ts'

/** The tokens are much shorter. */
const MAX_BYTES = '4k'

/**
 * Where a token of the dashboard is exchanged for a session of WordPress. Only POST reaches PHP: the
 * preview of a link must not use up a token. `fastcgi`: the directives that run root's program.
 */
export const renderLogin = (fastcgi: string): string =>
  `    location = ${LOGIN_PATH} {
        limit_except POST {
            deny all;
        }
        client_max_body_size ${MAX_BYTES};
${fastcgi}
    }
`
