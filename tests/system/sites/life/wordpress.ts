import { expect, test } from 'bun:test'
import { withBrowser } from '#tests/support/browser/index.ts'
import { logIn } from '#tests/support/system/log-in.ts'
import { get } from '#tests/support/system/requests.ts'
import type { World } from '#tests/support/system/world.ts'
import { wpCli, wpCliJson } from '#tests/support/system/wp-cli.ts'

/** The folder of the screenshots. */
const SHOTS = 'dist/screenshots'

export function logsIn(world: World): void {
  test('lets the administrator log in with a fresh password', async () => {
    const { id, domain } = world.site
    const path = world.path(`/sites/${id}/admin-password`)
    const { body } = await world.dashboard.call('POST', path)
    world.secrets.push(String(body.password))

    await withBrowser(
      { netns: world.host.netns, resolve: { [domain]: '127.0.0.1' } },
      async (page) => {
        await page.goto(`http://${domain}/wp-login.php`)
        await logIn(page, String(body.user), String(body.password))
        await page.screenshot({ path: `${SHOTS}/${world.variant.name}-wp-admin.png` })
        expect(new URL(page.url()).pathname).toBe('/wp-admin/')
      },
    )
  })
}

export function hidesLogin(world: World): void {
  test('shows visitors the name of the administrator without the random end of the login', async () => {
    const { host, site, variant } = world
    const fields = '--fields=user_login,user_nicename,display_name'
    const args = ['user', 'list', '--role=administrator', fields]
    const listed = await wpCli(host, site, variant.php, [...args, '--format=json'])
    const [user] = JSON.parse(listed) as Record<'user_login' | 'display_name', string>[]
    const name = String(user?.user_login).replace(/-\w{5}$/, '')
    expect(user).toMatchObject({ user_nicename: name, display_name: name })
    expect(user?.user_login).not.toBe(name)

    const url = `http://${site.domain}/?rest_route=/wp/v2/users`
    const { status, body } = await get(host, url)
    expect([status, body.includes(String(user?.user_login))]).toEqual([200, false])
  })
}

/** WordPress makes the smaller sizes with Imagick, if that reads the format. */
const RESIZE = `
require_once ABSPATH . 'wp-admin/includes/image.php';
$sizes = [];
foreach (['avif', 'webp', 'jpeg', 'png'] as $format) {
  $file = wp_upload_dir()['path'] . '/photo.' . $format;
  ('image' . $format)(imagecreatetruecolor(1500, 1000), $file);
  $id = wp_insert_attachment(['post_mime_type' => 'image/' . $format, 'post_title' => $format], $file);
  $made = wp_generate_attachment_metadata($id, $file)['sizes'];
  $sizes[$format] = array_keys($made);
  wp_delete_attachment($id, true);
}
echo json_encode($sizes);`

export function resizesImages(world: World): void {
  test('makes all sizes of images of each format', async () => {
    const { host, site, variant } = world
    const printed = await wpCli(host, site, variant.php, ['eval', RESIZE])
    const all = ['medium', 'large', 'thumbnail', 'medium_large']
    expect(JSON.parse(printed)).toEqual({ avif: all, webp: all, jpeg: all, png: all })
  })
}

type Found = { slug: string; version: string }

export function scans(world: World): void {
  const { php } = world.variant

  test('scans the versions that wp-cli finds', async () => {
    const { host, site, dashboard } = world
    const body = { site_id: site.id }
    const events = await dashboard.stream('POST', world.path('/wp-scan'), body)
    const wp_version = (await wpCli(host, site, php, ['core', 'version'])).trim()
    const listed = async (kind: string) => {
      const args = [kind, 'list', '--skip-update-check', '--format=json']
      const list = await wpCliJson(host, site, php, args)
      return list.map(({ name, version }) => `${name} ${version}`).sort()
    }
    const plugins = await listed('plugin')
    const themes = await listed('theme')

    expect(events.at(-1)?.data).toEqual({ wp_version, plugins: plugins.length })
    const detail = await dashboard.call('GET', `/api/fleet/sites/${site.id}`)
    const { inventory } = detail.body.site as {
      inventory: Record<'plugins' | 'themes', Found[]>
    }
    const scanned = (list: Found[]) => list.map(({ slug, version }) => `${slug} ${version}`).sort()
    expect(scanned(inventory.plugins)).toEqual(plugins)
    expect(scanned(inventory.themes)).toEqual(themes)
  })
}
