import { expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import type { CachedSite } from './cached-site.ts'
import { MINUTES } from './world.ts'

/** As a shop plugin tells a sale: WooCommerce itself is in no package of Debian. */
const SOLD = `do_action('woocommerce_product_set_stock', new class {
  function get_id() { return ID; }
  function get_parent_id() { return 0; }
});`

/** An edit in a real WordPress, and the files of the page cache. */
export function editsPurge(site: CachedSite): void {
  test(
    'an edit, a comment and a sale remove exactly their pages from the page cache',
    async () => {
      const [one, two] = await Promise.all(['One', 'Two'].map((title) => site.publish(title)))
      const pages = ['/one/', '/two/']
      await site.settings({ page_purge: true })
      const cached = async () => Promise.all(['/', ...pages].map((path) => site.isCached(path)))
      expect(await lab.poll(async () => (await cached()).every(Boolean))).toBe(true)

      await site.wp('post', 'update', `${one}`, '--post_content=changed words')
      expect(await lab.poll(async () => !(await site.isStored('/one/')))).toBe(true)
      expect(await site.isStored('/')).toBe(false)
      expect(await site.isStored('/two/')).toBe(true)
      expect(await site.anonymous('/one/')).toContain('changed words')

      const comment = [`--comment_post_ID=${two}`, '--comment_content=so it is']
      await site.wp('comment', 'create', ...comment, '--comment_approved=0')
      expect(await site.isStored('/two/')).toBe(true)
      await site.wp('comment', 'create', ...comment, '--comment_approved=1')
      expect(await lab.poll(async () => !(await site.isStored('/two/')))).toBe(true)
      expect(await lab.poll(async () => site.isCached('/two/'))).toBe(true)
      await site.wp('eval', SOLD.replace('ID', `${two}`))
      expect(await lab.poll(async () => !(await site.isStored('/two/')))).toBe(true)
      expect(await lab.poll(async () => site.isCached('/two/'))).toBe(true)

      // It is not trusted: neither with paths nor with anything else.
      await site.send('/two/../../x\n/etc/passwd\nx\n/two/?a=1\n')
      await site.wp('post', 'update', `${one}`, '--post_content=last words')
      expect(await lab.poll(async () => !(await site.isStored('/one/')))).toBe(true)
      expect(await site.isStored('/two/')).toBe(true)
      await site.wp('post', 'update', `${two}`, '--post_content=of the second')
      expect(await lab.poll(async () => !(await site.isStored('/two/')))).toBe(true)
      await site.settings({ page_purge: false })
      const left = await site.bash(`ls -R ${site.content}/mu-plugins /etc/systemd/system`)
      expect(left).not.toContain('purge')
      expect(await site.bash('ls /run/hosting-purge')).toBe('')
    },
    4 * MINUTES,
  )
}
