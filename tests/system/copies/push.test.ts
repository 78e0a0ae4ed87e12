// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ComparedContent } from '#shared/copies/site.compare.ts'
import { hashOf } from '#tests/support/agent/staging.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { answersDuring, PAUSED } from '#tests/support/system/answers-during.ts'
import { MailWorld, SHOP } from '#tests/support/system/mail-world.ts'
import { get } from '#tests/support/system/requests.ts'
import { wpCli } from '#tests/support/system/wp-cli.ts'

const MINUTES = 60_000
const LIVE = { ...SHOP, docroot: `/srv/www/${SHOP.user}/public` }
const COPY = {
  ...{ domain: 'staging.example.test', user: 'stag1a2b3c' },
  docroot: '/srv/www/stag1a2b3c/public',
}
const STAGING = { of: SHOP.domain, user: 'staging', password_hash: hashOf('letmein') }

unless(lab.available()).describe('a live site and its staging site', () => {
  let world: MailWorld
  let prefix = ''

  const on = (site: typeof LIVE, ...args: string[]) => wpCli(world.host, site, '8.4', args)
  const option = async (site: typeof LIVE, name: string) =>
    (await on(site, 'option', 'get', name)).trim()
  const shell = (text: string) => world.host.must(['bash', '-c', text])
  const pair = { domain: LIVE.domain, from: COPY.domain }
  const push = (params: object) =>
    world.done('site.push', { ...pair, files: false, tables: [], overwrite: [], ...params })
  const compare = async () => {
    const { files, tables } = ComparedContent.parse(await world.done('site.compare', pair))
    const changed = tables.filter((one) => one.live_changed || one.staging_changed)
    const short = changed.map(({ name, live_changed, staging_changed }) => [
      ...[name.replace(prefix, ''), live_changed, staging_changed],
    ])
    return { files, tables: short }
  }

  beforeAll(async () => {
    world = await MailWorld.start('trixie')
    prefix = (await on(LIVE, 'config', 'get', 'table_prefix')).trim()
    await shell(`cd ${LIVE.docroot}/wp-content && install -d -o ${LIVE.user} -m 0750 uploads &&
      echo one > uploads/one.txt && echo old > both.txt && chown ${LIVE.user}: uploads/* both.txt`)
    await world.done('site.clone', {
      ...{ domain: COPY.domain, user: COPY.user, php: '8.4', tier: 'small', tls: 'none' },
      ...{ email: 'owner@example.org', staging: STAGING },
      from: { kind: 'site', domain: LIVE.domain },
    })
  }, 10 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  test('a clone is protected, separated, and does not differ from its original', async () => {
    const url = `http://${COPY.domain}/`
    expect((await get(world.host, url)).status).toBe(401)
    const shown = await get(world.host, url, { options: ['--user', 'staging:letmein'] })
    expect([shown.status, shown.body.includes(LIVE.domain)]).toEqual([200, false])
    expect(await option(COPY, 'blog_public')).toBe('0')
    expect(await on(COPY, 'eval', 'echo getenv("WP_ENVIRONMENT_TYPE"), DB_NAME;')).toBe(COPY.user)
    const none = { count: 0, examples: [] }
    const same = { added: none, changed: none, removed: none, live_changed: none }
    expect(await compare()).toEqual({ files: { ...same, live_known: true }, tables: [] })
  })

  test('shows the changes of each side, without automatic changes', async () => {
    await on(COPY, 'post', 'create', '--post_title=New design', '--post_status=publish')
    await on(LIVE, 'comment', 'create', '--comment_post_ID=1', '--comment_content=Order 7')
    await on(LIVE, 'transient', 'set', 'busy', '1')
    await shell(`cd ${COPY.docroot}/wp-content && echo new > both.txt && echo x > $'a\\tb' &&
        echo two > uploads/two.txt && chown ${COPY.user}: both.txt a* uploads/*
        echo 'of live' > ${LIVE.docroot}/wp-content/both.txt
        echo three > ${LIVE.docroot}/wp-content/uploads/three.txt
        chown ${LIVE.user}: ${LIVE.docroot}/wp-content/uploads/*`)

    const { files, tables } = await compare()

    const changedAt = (at: number) => tables.filter((one) => one[at]).map(([name]) => name)
    expect(changedAt(1)).toEqual(['comments', 'posts'])
    // A new post also counts in its category and in an option.
    expect(changedAt(2)).toEqual([
      ...['options', 'postmeta', 'posts', 'term_relationships', 'term_taxonomy'],
    ])
    expect(files.added?.examples).toEqual(['wp-content/a?b', 'wp-content/uploads/two.txt'])
    expect(files.changed?.examples).toEqual(['wp-content/both.txt'])
    expect(files.removed?.examples).toEqual(['wp-content/uploads/three.txt'])
    expect(files.live_changed.examples).toEqual(['wp-content/both.txt'])
  })

  test('a push refuses tables with changes of the live site, and changes nothing', async () => {
    const params = { ...pair, files: true, tables: [`${prefix}posts`], overwrite: [] }
    const events = await world.agent.start('site.push', params).ended

    expect(events.at(-1)).toMatchObject({
      event: 'error',
      data: {
        error: 'Conflict',
        message: `${LIVE.domain} has changes that would be lost in: ${prefix}posts. Leave these tables out, or name them in overwrite`,
      },
    })
    expect(await on(LIVE, 'post', 'list', '--field=post_title')).not.toContain('New design')
    expect(await shell(`cat ${LIVE.docroot}/wp-content/both.txt`)).toBe('of live\n')
    expect((await get(world.host, `http://${LIVE.domain}/`)).status).toBe(200)
  })

  test('a push copies files and the named tables, with the addresses of the live site', async () => {
    await on(COPY, 'option', 'update', 'blogname', 'Designed')
    await on(COPY, 'option', 'update', 'link', `http://${COPY.domain}/a`)
    await on(
      LIVE,
      'option',
      'update',
      'woocommerce_stripe_settings',
      '{"enabled":"yes"}',
      '--format=json',
    )
    const config = await shell(`cat ${LIVE.docroot}/wp-config.php`)
    const tables = [`${prefix}posts`, `${prefix}options`]

    const paths = ['/', '/wp-login.php', '/wp-includes/css/dashicons.min.css']
    const { result, answers } = await answersDuring(
      world.host,
      paths.map((path) => `http://${LIVE.domain}${path}`),
      () => push({ files: true, tables, overwrite: tables }),
    )

    expect(answers).toEqual(['200', PAUSED])
    expect(result).toMatchObject({ status: 'ok', domain: LIVE.domain })
    expect(await on(LIVE, 'post', 'list', '--field=post_title')).toContain('New design')
    expect(await on(LIVE, 'comment', 'list', '--field=comment_content')).toContain('Order 7')
    const options = ['blogname', 'link', 'siteurl', 'home', 'blog_public']
    expect(await Promise.all(options.map((name) => option(LIVE, name)))).toEqual([
      ...['Designed', `http://${LIVE.domain}/a`, `http://${LIVE.domain}`],
      ...[`http://${LIVE.domain}`, '1'],
    ])
    expect(await option(LIVE, 'woocommerce_stripe_settings')).toContain('yes')
    expect(await shell(`cat ${LIVE.docroot}/wp-config.php`)).toBe(config)
    const listed = await shell(`cd ${LIVE.docroot}/wp-content && cat both.txt uploads/*.txt`)
    expect(listed).toBe('new\none\nthree\ntwo\n')
    const page = await get(world.host, `http://${LIVE.domain}/`)
    expect([page.status, page.body.includes(COPY.domain)]).toEqual([200, false])
    expect(await shell(`find /srv/www/${LIVE.user}/public ! -user ${LIVE.user}`)).toBe('')
    const left = await world.host.must(['mariadb', LIVE.user, '-N', '-e', 'SHOW TABLES'])
    expect(left).not.toContain('hosting_kept')
    const after = await compare()
    expect(after.tables.map(([name]) => name)).not.toContain('posts')
    expect(after.files.live_changed.count).toBe(0)
  })

  test('a push can be undone', async () => {
    await world.done('backup.undo', { domain: LIVE.domain })

    expect(await on(LIVE, 'post', 'list', '--field=post_title')).not.toContain('New design')
    expect(await option(LIVE, 'blogname')).not.toBe('Designed')
    expect(await shell(`cat ${LIVE.docroot}/wp-content/both.txt`)).toBe('of live\n')
    expect((await get(world.host, `http://${LIVE.domain}/`)).status).toBe(200)
    const { files } = await compare()
    expect([files.live_known, files.live_changed.count > 0]).toEqual([false, true])
  })

  test('a refresh copies the live state, and keeps password and separation; it can be undone', async () => {
    const refreshed = await world.done('site.refresh', {
      domain: COPY.domain,
      from: { kind: 'site', domain: LIVE.domain },
    })

    expect(refreshed).toMatchObject({ status: 'ok', domain: COPY.domain })
    expect(await on(COPY, 'post', 'list', '--field=post_title')).not.toContain('New design')
    expect(await on(COPY, 'comment', 'list', '--field=comment_content')).toContain('Order 7')
    const options = ['siteurl', 'blog_public']
    expect(await Promise.all(options.map((name) => option(COPY, name)))).toEqual([
      ...[`http://${COPY.domain}`, '0'],
    ])
    const url = `http://${COPY.domain}/`
    expect((await get(world.host, url)).status).toBe(401)
    const shown = await get(world.host, url, { options: ['--user', 'staging:letmein'] })
    expect([shown.status, shown.body.includes(LIVE.domain)]).toEqual([200, false])
    const changed = (await compare()).tables.map(([name]) => name)
    expect(changed.filter((name) => name !== 'options')).toEqual([])

    await world.done('backup.undo', { domain: COPY.domain })
    expect(await on(COPY, 'post', 'list', '--field=post_title')).toContain('New design')
    expect((await compare()).tables.length).toBeGreaterThan(10)
  })
})
