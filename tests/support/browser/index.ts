import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { needPrograms } from '#tests/support/lab/index.ts'

export type BrowserOptions = {
  /**
   * Both are Debian's, of one source and version. The second has no windows, which would be
   * invisible and take half of the first's time. Default: chromium.
   */
  program?: 'chromium' | 'chromium-headless-shell'
  /** The network namespace that the browser runs in: `host.netns` of a lab host. */
  netns?: string
  /** Domain → address, in place of DNS. */
  resolve?: Record<string, string>
  /** In CSS pixels; default 1280 × 800. */
  viewport?: { width: number; height: number }
}

/** For a busy machine: results usually come earlier. */
export const PATIENCE_MS = 90_000

const FLAGS = [
  '--no-sandbox',
  // Pages of one session share their compiled scripts.
  '--process-per-site',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
]

/**
 * Opens a page in Debian's chromium (installed when missing), which takes any certificate, and
 * closes the browser after `work`. `page.screenshot({ path })` makes the folders of its path.
 */
export async function withBrowser<T>(
  options: BrowserOptions,
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const { viewport = { width: 1280, height: 800 } } = options
  const browser = await launch(options)
  try {
    const context = await browser.newContext({ viewport, ignoreHTTPSErrors: true })
    context.setDefaultTimeout(PATIENCE_MS)
    return await work(await context.newPage())
  } finally {
    await browser.close()
  }
}

/** Starts Debian's chromium, installed when missing. The caller closes it. */
export async function launch({
  program = 'chromium',
  netns,
  resolve = {},
}: BrowserOptions = {}): Promise<Browser> {
  await needPrograms({
    [program]: program,
    '/usr/share/fonts/truetype/liberation': 'fonts-liberation',
  })
  const known = Object.entries(resolve).map(([domain, address]) => `MAP ${domain} ${address}`)
  // Any other name fails at once: a page with an external request must not wait for DNS.
  const rules = [...known, 'MAP * ~NOTFOUND', 'EXCLUDE 127.0.0.1', 'EXCLUDE localhost']
  return chromium.launch({
    executablePath: netns ? join(import.meta.dirname, 'in-netns.sh') : `/usr/bin/${program}`,
    env: { ...process.env, BROWSER_NETNS: netns, BROWSER_PROGRAM: program },
    args: [...FLAGS, `--host-resolver-rules=${rules.join(',')}`],
  })
}
