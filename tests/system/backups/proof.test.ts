// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { ProofWorld, PUBLIC, SITE } from '#tests/support/system/proof.ts'

const MINUTES = 60_000
const PLUGINS = `${PUBLIC}/wp-content/mu-plugins`

/**
 * Reports what code of the site reaches: the network, mail, and files of others. It fails in a copy
 * that reaches anything.
 */
const CURIOUS = `<?php
add_action('init', function () {
  $reached = [];
  foreach (['tcp://127.0.0.1:80', 'tcp://10.77.0.1:53', 'udp://10.77.0.1:53'] as $address) {
    $peer = @stream_socket_client($address, $code, $text, 1);
    if ($peer && (strpos($address, 'udp') !== 0 || fwrite($peer, 'x'))) $reached[] = $address;
  }
  if (mail('ann@example.org', 'subject', 'text')) $reached[] = 'mail';
  $hidden = posix_getpwuid(posix_geteuid())['name'] !== '${SITE.user}';
  if ($hidden && $reached) throw new Exception(implode(' ', $reached));
  if (!$hidden) file_put_contents('${PUBLIC}/reached.txt', implode(' ', $reached));
});
`

unless(lab.available()).describe('the proof of a backup', () => {
  let world: ProofWorld
  let good: string

  beforeAll(async () => {
    world = await ProofWorld.start('proof')
    await world.host.must([
      ...['bash', '-ec'],
      `cd ${PUBLIC}; ln -s /etc/shadow link; printf x > $'new\\nline'; mkfifo fifo
      truncate -s 20M sparse; install -d -o ${SITE.user} ${PLUGINS}; chown -h ${SITE.user}: *`,
    ])
    await world.sql(`CREATE TABLE a_bytes (id INT PRIMARY KEY, b LONGBLOB) ENGINE=Aria;
      INSERT INTO a_bytes VALUES (1, x'00ff0a275c'), (2, REPEAT(x'00', 100000));
      CREATE TABLE a_rows (a INT, b INT, PRIMARY KEY (a, b), KEY (b, a));
      INSERT INTO a_rows SELECT seq, 5000 - seq FROM seq_1_to_4000;
      CREATE TABLE a_texts (t TEXT, f FLOAT, d DOUBLE, at TIMESTAMP) ENGINE=MyISAM;
      INSERT INTO a_texts VALUES ('🎉 ''\\n;', 0.1, 1e-7, NOW()), (NULL, 1.23456789, PI(), NOW());
      CREATE TABLE a_empty (a INT); CREATE SEQUENCE a_numbers`)
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  const write = (path: string, text: string) =>
    world.host.must(['bash', '-ec', `cat > ${path}; chown ${SITE.user}: ${path}`], { input: text })

  const page = (path = '/') =>
    world.host.must([
      ...['bash', '-ec'],
      `exec 3<>/dev/tcp/127.0.0.1/80
      printf 'GET ${path} HTTP/1.0\\r\\nHost: ${SITE.domain}\\r\\n\\r\\n' >&3; head -1 <&3`,
    ])

  const failed = async (backup: string) => {
    const { proven, findings, ...rest } = await world.prove(backup)
    expect(await world.left()).toEqual([])
    const codes = findings.map(({ code }: { code: string }) => code)
    return { proven, codes, ...rest }
  }

  test('succeeds for a good one, whose code reaches nothing, and the site is not touched', async () => {
    await write(`${PLUGINS}/curious.php`, CURIOUS)
    await page('/?s=a')
    const reached = await world.host.must(['cat', `${PUBLIC}/reached.txt`])
    expect(reached).toContain('tcp://127.0.0.1:80')
    good = await world.backUp()
    const before = await world.state()
    const answers: string[] = []
    let ends = false
    await world.publish()
    const visiting = (async () => {
      for (; !ends; await Bun.sleep(200)) answers.push((await page()).trim())
    })()

    const proof = await world.prove(good)

    ends = true
    await visiting
    expect(proof).toEqual({
      backup: good,
      at: expect.any(String),
      proven: true,
      findings: [],
      files: expect.any(Number),
      bytes: expect.any(Number),
      tables: 17,
      rows: expect.any(Number),
      pages: ['/', '/wp-login.php', '/feed/'].map((path) => ({ path, status: 200 })),
      core: 'same',
      core_list: 'compared',
      seconds: expect.any(Number),
    })
    expect(proof.rows).toBeGreaterThan(4100)
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 200 OK']))
    expect(await world.left()).toEqual([])
    expect(await world.state()).toEqual(before)
    await world.host.must(['rm', `${PLUGINS}/curious.php`])
    await world.unpublish()
  })

  test('finds a site whose PHP fails', async () => {
    await write(`${PLUGINS}/fatal.php`, "<?php throw new Exception('no');")

    const result = await failed(await world.backUp())

    await world.host.must(['rm', `${PLUGINS}/fatal.php`])
    expect(result).toMatchObject({
      proven: false,
      codes: ['does_not_boot', 'page_fails', 'page_fails', 'page_fails'],
      pages: ['/', '/wp-login.php', '/feed/'].map((path) => ({ path, status: 500 })),
      ...{ core: 'same', core_list: 'unreachable' },
    })
  })

  test('finds a page that ends early, and changed files of WordPress', async () => {
    await world.publish()
    await write(`${PLUGINS}/early.php`, "<?php add_action('wp_footer', fn() => exit());")
    await world.host.must(['bash', '-c', `echo '// x' >> ${PUBLIC}/wp-includes/load.php`])

    const result = await failed(await world.backUp())

    await world.host.must(['rm', `${PLUGINS}/early.php`])
    await world.host.must(['sed', '-i', '$d', `${PUBLIC}/wp-includes/load.php`])
    expect(result).toMatchObject({
      proven: false,
      ...{ core: 'differs', core_list: 'compared' },
      codes: ['page_fails', 'core_differs'],
    })
  })

  test('finds another dump, and rows and files that are missing', async () => {
    const manifest = JSON.parse(await world.restic('dump', good, '/manifest.json'))
    const { files, database } = manifest
    const forged = (changes: object) => world.saveManifest({ ...manifest, ...changes })

    const other = await failed(await forged({ database: { ...database, sha256: '0'.repeat(64) } }))
    const missing = await failed(
      await forged({
        files: { ...files, count: files.count + 1 },
        database: { ...database, tables: database.tables + 1 },
      }),
    )

    expect(other).toMatchObject({ proven: false, codes: ['dump_damaged'], pages: [] })
    expect(missing).toMatchObject({ proven: false, codes: ['files_differ', 'database_differs'] })
  })

  test('finds a damaged pack, and a backup that is gone', async () => {
    expect(await failed('f'.repeat(64))).toMatchObject({ proven: false, codes: ['missing'] })
    await world.host.must([
      ...['bash', '-ec'],
      `for f in $(find /mnt/store/${SITE.user}/data -type f -size +200k); do
          chmod u+w $f; printf damaged | dd of=$f bs=1 seek=1000 conv=notrunc status=none
        done; rm -rf /var/lib/hosting-agent/cache/restic`,
    ])

    expect(await failed(good)).toMatchObject({ proven: false, codes: ['damaged'], pages: [] })
  })

  test('fails if the target is not there, and leaves nothing', async () => {
    await world.host.must(['mv', `/mnt/store/${SITE.user}`, '/mnt/store/away'])

    const { outcome } = await world.run('backup.prove', world.paramsOf(good))

    expect(outcome).toMatchObject({ event: 'error' })
    expect(await world.left()).toEqual([])
  })
})
