import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launch } from '#tests/support/browser/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, startEnrolled } from '#tests/support/system/enrolled.ts'
import { logIn } from '#tests/support/system/log-in.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES } from '#tests/support/system/world.ts'

const DOMAIN = 'shop.example.test'
export const ORIGIN = `https://${DOMAIN}`

/** The owner of a new site, with a browser that is logged in to it. */
export class Owner {
  readonly world: Enrolled
  readonly site: { id: number; user: string }
  readonly php: string
  /** Files to upload. */
  readonly folder: string
  /** The WordPress login. */
  login = ''
  readonly #browser: Browser
  readonly #pages: Page[]

  private constructor(
    world: Enrolled,
    site: Owner['site'],
    php: string,
    folder: string,
    browser: Browser,
  ) {
    this.world = world
    this.site = site
    this.php = php
    this.folder = folder
    this.#browser = browser
    this.#pages = []
  }

  static async start(suite: Suite): Promise<Owner> {
    const { php } = suites[suite]
    const world = await startEnrolled(suite)
    const body = { domain: DOMAIN, php, tls: 'self-signed' }
    const created = await world.dashboard.call('POST', world.path('/sites'), body)
    const last = await endOf(world.dashboard, created)
    if (last.event !== 'complete') throw new Error(JSON.stringify(last.data))
    const listed = await world.dashboard.call('GET', world.path('/sites'))
    const [site] = listed.body.sites as Owner['site'][]
    if (!site) throw new Error('the site is not listed')
    // A real site's name resolves on its own server, too.
    await world.host.must(['bash', '-c', `echo 127.0.0.1 ${DOMAIN} >> /etc/hosts`])
    const resolve = { [DOMAIN]: '127.0.0.1' }
    const browser = await launch({ netns: world.host.netns, resolve })
    return new Owner(world, site, php, await mkdtemp(join(tmpdir(), 'owner-')), browser)
  }

  get host() {
    return this.world.host
  }

  get docroot(): string {
    return `/srv/www/${this.site.user}/public`
  }

  /** Separate cookies, as for another person. */
  async person(): Promise<BrowserContext> {
    const viewport = { width: 1280, height: 800 }
    const options = { ignoreHTTPSErrors: true, viewport, baseURL: ORIGIN }
    const context = await this.#browser.newContext(options)
    context.setDefaultTimeout(MINUTES * 3)
    // Optional for WordPress: Playwright fails on workers that end at once, as its emoji worker.
    await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'Worker'))
    return context
  }

  /** The tab of the owner; the first one logs in with the dashboard's password. */
  async page(): Promise<Page> {
    const [known] = this.#pages
    if (known) return known
    const path = this.world.path(`/sites/${this.site.id}/admin-password`)
    const { body } = await this.world.dashboard.call('POST', path)
    this.login = String(body.user)
    const page = await (await this.person()).newPage()
    this.#pages.push(page)
    await page.goto('/wp-login.php')
    await logIn(page, this.login, String(body.password))
    return page
  }

  /** The answer to visitors without cookies. */
  visit(path: string, options: string[] = []) {
    return get(this.host, new URL(path, ORIGIN).href, { options })
  }

  async stop(): Promise<void> {
    await this.#browser.close()
    await this.world.stop()
    await rm(this.folder, { recursive: true, force: true })
  }
}
