import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Host } from '#tests/support/lab/index.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import { index } from '#tests/support/lab/repository.ts'
import type { Suite } from '#tests/support/lab/suites.ts'

const FOLDER = '/srv/adminer-debs'

/** Adds a package source with Debian's own Adminer to a server, which has none in the network. */
export async function addAdminerSource(host: Host, suite: Suite): Promise<void> {
  const all = await morePackages(suite, ['adminer'])
  const draft = await mkdtemp(join(tmpdir(), 'adminer-'))
  const names = (await readdir(all)).filter((name) => /^(adminer|php-mysql)_.*\.deb$/.test(name))
  for (const name of names) await copyFile(join(all, name), join(draft, name))
  await index(draft)
  for (const name of await readdir(draft))
    await host.put(`${FOLDER}/${name}`, await Bun.file(join(draft, name)).bytes())
  await rm(draft, { recursive: true })
  await host.put('/etc/apt/sources.list.d/adminer.list', `deb [trusted=yes] file:${FOLDER} ./\n`)
  await host.must(['apt-get', 'update', '-q'])
}
