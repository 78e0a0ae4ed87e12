import type { Host } from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/run.ts'

/**
 * Printed by curl: a worker of nginx that is being replaced takes no new HTTP/2 request (RFC 9113,
 * 6.8), and a browser retries by itself.
 */
const REFUSED_STREAM = ': status 16'

/**
 * A request from the host's own network by this machine's curl. It trusts any certificate, or with
 * `roots` only those that a certificate of this file signed, for the name and at present.
 */
export async function get(
  host: Host,
  url: string,
  {
    resolve = '127.0.0.1',
    options = [],
    roots,
  }: { resolve?: string; options?: string[]; roots?: string } = {},
): Promise<{ status: number; body: string; headers: string }> {
  const { hostname, protocol } = new URL(url)
  const port = protocol === 'https:' ? 443 : 80
  const trust = roots === undefined ? ['--insecure'] : ['--cacert', roots]
  const ask = () =>
    must([
      ...['ip', 'netns', 'exec', host.netns, 'curl', '--silent', ...trust, '--max-time', '150'],
      ...['--dump-header', '-', '--resolve', `${hostname}:${port}:${resolve}`, ...options, url],
    ])
  const text = await ask().catch((error: unknown) => {
    if (!String(error).includes(REFUSED_STREAM)) throw error
    return ask()
  })
  const at = text.indexOf('\r\n\r\n')
  const headers = text.slice(0, at)
  return {
    status: Number(headers.split(' ')[1]),
    headers: headers.toLowerCase(),
    body: text.slice(at + 4),
  }
}
