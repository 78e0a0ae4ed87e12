import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { must } from '#tests/support/lab/run.ts'
import { polled } from '#tests/support/lab/wait.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { writeFiles } from './files.ts'
import { ORIGIN, type Owner } from './owner.ts'

const KINDS: Record<string, string> = {
  'film.mp4': 'video/mp4',
  'photo.jpg': 'image/jpeg',
  'dot.png': 'image/png',
  'menu.pdf': 'application/pdf',
  'logo.svg': 'image/svg+xml',
}

type Media = {
  id: number
  source_url: string
  media_details: { sizes?: Record<string, { source_url: string }>; original_image?: string }
}

/** The media library as anybody can read it. */
async function listMedia(owner: Owner): Promise<Media[]> {
  const { body } = await owner.visit(`/wp-json/wp/v2/media?per_page=50&at=${Date.now()}`)
  return JSON.parse(body)
}

const holds = (media: readonly Media[], name: string) =>
  media.find(({ source_url }) => source_url.includes(`/${name.split('.')[0]}`))

/** The page links a file while another one is still uploading. */
async function allOf(owner: Owner, names: readonly string[]): Promise<Media[]> {
  let media: Media[] = []
  const whole = async () => {
    media = await listMedia(owner)
    return names.every((name) => holds(media, name))
  }
  await polled(whole, { every_ms: 500, timeout_ms: 3 * MINUTES })
  return media
}

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** As a visitor. */
async function download({ host }: Owner, url: string) {
  const resolve = ['--resolve', `${new URL(url).hostname}:443:127.0.0.1`]
  const curl = ['curl', '--silent', '--insecure', '--max-time', '60', ...resolve]
  const format = '%{http_code} %{content_type}'
  const into = `/tmp/${host.netns}.download`
  const argv = ['ip', 'netns', 'exec', host.netns, ...curl, '--output', into, '-w', format, url]
  const [status, type] = (await must(argv)).split(' ')
  return { status: Number(status), type, digest: digestOf(await readFile(into)) }
}

export function uploads(owner: () => Owner): void {
  test(
    'visitors get every kind of uploaded file byte for byte',
    async () => {
      const page = await owner().page()
      await page.goto('/wp-admin/media-new.php')
      const files = await writeFiles(page, owner().folder)
      await page.setInputFiles('.moxie-shim input[type=file]', [...files.values()])
      const done = page.locator('.media-item .edit-attachment')
      await done.nth(files.size - 1).waitFor({ timeout: 3 * MINUTES })

      const media = await allOf(owner(), [...files.keys()])

      const named = (name: string) => {
        const found = holds(media, name)
        if (!found) throw new Error(`${name} is not in the library`)
        const { source_url, media_details } = found
        const { original_image = source_url.split('/').at(-1) ?? '' } = media_details
        return new URL(original_image, source_url).href
      }
      for (const [name, path] of files) {
        const got = await download(owner(), named(name))
        const digest = digestOf(await readFile(path))
        expect([name, got]).toEqual([name, { status: 200, type: KINDS[name] ?? '', digest }])
      }
      const sizes = media.flatMap(({ media_details }) => Object.values(media_details.sizes ?? {}))
      expect(sizes.length).toBeGreaterThan(3)
      for (const { source_url } of [...sizes, ...media]) {
        expect([source_url, (await owner().visit(source_url)).status]).toEqual([source_url, 200])
      }
    },
    5 * MINUTES,
  )
}

export function galleries(owner: () => Owner): void {
  test(
    'a post with a gallery, written in the editor, shows its pictures to visitors',
    async () => {
      const page = await owner().page()
      const pictures = (await listMedia(owner())).filter(({ source_url }) =>
        /\.(jpg|png|webp)$/.test(source_url),
      )
      expect(pictures.length).toBeGreaterThan(1)
      await page.goto('/wp-admin/post-new.php')
      const title = page
        .frameLocator('iframe[name=editor-canvas]')
        .getByRole('textbox', { name: 'Add title' })
      await title.waitFor({ timeout: 3 * MINUTES })
      await page.evaluate(
        // The owner picks pictures in a dialog, which inserts this.
        (pictures) => {
          const { wp } = globalThis as unknown as { wp: Editor }
          wp.data.dispatch('core/preferences').set('core/edit-post', 'welcomeGuide', false)
          const inner = pictures.map(({ id, source_url: url }) =>
            wp.blocks.createBlock('core/image', { id, url }),
          )
          const gallery = wp.blocks.createBlock('core/gallery', {}, inner)
          wp.data.dispatch('core/block-editor').insertBlocks(gallery)
        },
        pictures,
      )
      await title.fill('Summer')
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      const panel = page.getByRole('region', { name: 'Editor publish' })
      await panel.getByRole('button', { name: 'Publish', exact: true }).click()
      await panel.getByRole('link', { name: 'View Post' }).waitFor({ timeout: 3 * MINUTES })

      const visitor = await (await owner().person()).newPage()
      await visitor.goto('/summer/')
      const shown = visitor.locator('.wp-block-gallery img')
      await expect(shown.count()).resolves.toBe(pictures.length)
      for (const one of await shown.all()) await one.scrollIntoViewIfNeeded()
      const widths = () =>
        shown.evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth))
      await visitor.waitForFunction(() =>
        [...document.querySelectorAll<HTMLImageElement>('.wp-block-gallery img')].every(
          ({ complete }) => complete,
        ),
      )
      expect((await widths()).filter((width) => width === 0)).toEqual([])
      expect(visitor.url()).toStartWith(ORIGIN)
      await visitor.context().close()
    },
    5 * MINUTES,
  )
}

interface Editor {
  blocks: { createBlock(name: string, values: object, inner?: unknown[]): unknown }
  data: {
    dispatch(store: string): { set(...args: unknown[]): void; insertBlocks(block: unknown): void }
  }
}
