// tier: gate

import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { CachedSite } from '#tests/support/system/cached-site.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

/** As a shop plugin tells a sale: WooCommerce itself is in no package of Debian. */
const SOLD = `do_action('woocommerce_product_set_stock', new class {
  function get_id() { return ID; }
  function get_parent_id() { return 0; }
});`

/** An edit in a real WordPress, and the files of the page cache. */
function editsPurge(site: CachedSite): void {
  test('an edit, a comment and a sale remove exactly their pages from the page cache', async () => {
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
  })
}

/** The object cache of a real WordPress. */
for (const suite of releases('object-cache')) {
  unless(lab.available()).describe(`an object cache on ${suite}`, () => {
    const site = new CachedSite(suite)
    beforeAll(() => site.start(), 10 * MINUTES)
    afterAll(() => site.world.stop(), 5 * MINUTES)

    test('behaves as that of WordPress, and keeps what visitors and jobs read', async () => {
      const expected = await site.operations()
      expect(await site.shown()).toMatchObject({ memory: null, drop_in: 'none', numbers: null })
      const on = await site.set({ memory: 16 })
      expect(on.at(-1)).toMatchObject({ event: 'complete', data: { memory: 16 } })

      expect(await site.operations()).toBe(expected)
      expect(await site.wp('cache', 'type')).toContain('Unknown')
      await site.page('/?one')
      const before = await site.shown()
      await site.page('/?two')
      const after = await site.shown()

      expect(after).toMatchObject({ memory: 16, limit: 16, drop_in: 'own', most: 128 })
      expect(after.numbers?.hits).toBeGreaterThan((before.numbers?.hits ?? 0) + 5)
      expect(after.numbers?.objects).toBeGreaterThan(5)
      expect(await site.wp('cache', 'flush')).toContain('Success')
    })

    test('is a server of the site alone: without network, disk, and commands that it does not need', async () => {
      const { unit, user } = site
      const socket = (await site.bash('echo /run/hosting-objects/*/objects.sock')).trim()
      const facts =
        await site.bash(`systemctl show ${unit} -p User -p PrivateNetwork -p Slice -p NRestarts
          stat -c '%U %a' ${socket} $(dirname ${socket})`)
      expect(facts.split('\n')).toEqual(
        expect.arrayContaining([
          ...[`User=${user}`, 'PrivateNetwork=yes', `Slice=hosting-${user}.slice`, 'NRestarts=0'],
          ...[`${user} 600`, `${user} 700`],
        ]),
      )
      expect(await site.bash(`ss -ltnp | grep -c -e valkey -e redis || true`)).toBe('0\n')
      for (const command of ['CONFIG GET dir', 'SAVE', 'EVAL "return 1" 0', 'SHUTDOWN', 'FLUSHALL'])
        expect(await site.client(command)).toContain('NOPERM')
      const other = await site.host.exec([
        ...['setpriv', '--reuid=33', '--regid=33', '--clear-groups', '--no-new-privs', '--'],
        ...['stat', socket],
      ])
      expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('Permission denied')])
    })

    test('may end at any time: the site answers, and later finds no old value', async () => {
      await site.wp('option', 'update', 'blogdescription', 'kept words')
      expect(await site.page('/')).toContain('kept words')
      await site.bash(`systemctl kill --signal=KILL ${site.unit}`)
      expect(await site.page('/?killed')).toContain('kept words')
      expect(await lab.poll(async () => (await site.shown()).numbers !== null)).toBe(true)

      await site.bash(`systemctl stop ${site.unit}`)
      expect(await site.page('/?stopped')).toContain('kept words')
      expect(await site.shown()).toMatchObject({ memory: 16, numbers: null })
      await site.wp('option', 'update', 'blogdescription', 'newer words')
      await site.bash(`systemctl start ${site.unit}`)
      expect(await site.page('/?started')).toContain('newer words')

      // Alive, but without an answer: a request that waited for each object would not end.
      await site.bash(`systemctl kill --signal=STOP ${site.unit}`)
      await site.wp('option', 'update', 'blogdescription', 'last words')
      expect(await site.page('/?hung')).toContain('last words')
      await site.bash(`systemctl kill --signal=CONT ${site.unit}`)
    })

    test('leaves a drop-in of another plugin alone, and nothing of itself', async () => {
      const off = await site.set({ memory: null })
      expect(off.at(-1)?.event).toBe('complete')
      expect(await site.bash(`ls -a ${site.content} /etc/systemd/system`)).not.toContain('object')
      expect(await site.page('/?off')).toContain('last words')

      await site.bash(`printf '<?php\n/* Plugin Name: Redis Object Cache Drop-In */\n' > ${site.dropIn}
          chown ${site.user}: ${site.dropIn}`)
      const refused = await site.world.dashboard.call('POST', site.at, { memory: 16 })
      expect([refused.status, refused.body.message]).toEqual([
        409,
        expect.stringContaining('belongs to “Redis Object Cache Drop-In”'),
      ])
      expect(await site.shown()).toMatchObject({ drop_in: 'other' })
      await site.bash(
        `rm ${site.dropIn}; mkfifo ${site.dropIn}; chown ${site.user}: ${site.dropIn}`,
      )
      expect((await site.world.dashboard.call('POST', site.at, { memory: 16 })).status).toBe(409)
      await site.bash(`rm ${site.dropIn}; ln -s /etc/shadow ${site.dropIn}`)
      expect((await site.world.dashboard.call('POST', site.at, { memory: 16 })).status).toBe(409)
      await site.bash(`rm ${site.dropIn}`)

      // The folder refuses the file: what was started is stopped again.
      await site.bash(`chattr +i ${site.content} 2>/dev/null || chown root: ${site.content}`)
      const failed = await site.set({ memory: 16 })
      await site.bash(
        `chattr -i ${site.content} 2>/dev/null || chown ${site.user}: ${site.content}`,
      )
      expect(failed.at(-1)?.event).toBe('error')
      expect(await site.bash(`ls -a ${site.content} /etc/systemd/system`)).not.toContain('object')
      expect(await site.shown()).toMatchObject({ memory: null, drop_in: 'none' })
    })

    test('is empty after a flush, like the page cache', async () => {
      await site.set({ memory: 16 })
      const value = () => site.wp('eval', "echo json_encode(wp_cache_get('shown'));")
      await site.wp('cache', 'set', 'shown', 'stale')
      expect(await value()).toBe('"stale"')
      expect(await lab.poll(() => site.isCached('/'))).toBe(true)

      const flush = site.world.path(`/sites/${site.id}/cache-flush`)
      const { status, body } = await site.world.dashboard.call('POST', flush)

      expect([status, body.status]).toEqual([200, 'ok'])
      expect(await value()).toBe('false')
      expect(await site.isStored('/')).toBe(false)
      await site.set({ memory: null })
    })

    editsPurge(site)

    test('is closed to a neighbour, and the isolation check would find an open one', async () => {
      expect(await site.attacks()).toEqual(['refused', 'refused'])
      const tried = 'journalctl --output=cat --unit="hosting-objects@canary-n*" | grep -c Started'
      expect(Number(await site.bash(tried))).toBeGreaterThan(0)

      const folder = '/etc/systemd/system/hosting-objects@.service.d'
      await site.host.put(`${folder}/loose.conf`, '[Service]\nRuntimeDirectoryMode=0755\n')
      const sockets = '/etc/systemd/system/hosting-purge@.socket.d'
      await site.host.put(`${sockets}/loose.conf`, '[Socket]\nSocketMode=0666\n')
      expect(await site.attacks()).toEqual(['succeeded', 'succeeded'])
      await site.bash(`rm -r ${folder} ${sockets}; systemctl daemon-reload`)
    })

    test('follows a suspension, a smaller tier, a restart of the server and a deletion', async () => {
      await site.change('PATCH', '', { tier: 'large' })
      expect((await site.set({ memory: 300 })).at(-1)?.event).toBe('complete')
      await site.change('POST', '/suspend')
      expect(await site.isRunning()).toBe(false)
      await site.change('POST', '/resume')
      expect(await site.isRunning()).toBe(true)
      await site.change('PATCH', '', { tier: 'small' })
      expect(await site.shown()).toMatchObject({ memory: 300, limit: 128 })
      expect(await site.bash(`cat /etc/systemd/system/${site.unit}`)).toContain('128mb')
      await site.host.powerOff()
      await site.host.start()
      expect(await lab.poll(() => site.isRunning(), { timeout_ms: 60_000 })).toBe(true)
      await site.change('DELETE', '', { without_backup: true })
      expect(await site.bash('ls /etc/systemd/system /run/hosting-objects')).not.toContain(
        site.user,
      )
      expect(await site.isRunning()).toBe(false)
    })
  })
}
