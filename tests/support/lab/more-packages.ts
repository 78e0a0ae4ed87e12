import { createHash } from 'node:crypto'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { prepareBase } from './base.ts'
import { cached } from './cache.ts'
import { index } from './repository.ts'
import { must } from './run.ts'
import { fetchSettings, sourcesOf } from './sources.ts'
import type { Suite } from './suites.ts'

/**
 * A folder with `packages` and all their dependencies beyond a minimal server of `suite`, as a
 * package source for the hosts of one test. Downloaded once on a machine.
 */
export async function morePackages(suite: Suite, packages: readonly string[]): Promise<string> {
  const base = await prepareBase(suite)
  const recipe = JSON.stringify([basename(dirname(base.root)), packages])
  const digest = createHash('sha256').update(recipe).digest('hex').slice(0, 12)
  const folder = await cached(`${suite}-more-${digest}`, async (draft) => {
    const apt = join(draft, 'apt')
    const debs = join(draft, 'debs')
    await mkdir(join(apt, 'lists/partial'), { recursive: true })
    await mkdir(join(debs, 'partial'), { recursive: true })
    await writeFile(join(apt, 'sources.list'), await sourcesOf(suite))
    const options = [
      ...['Dir::Etc::SourceParts=/dev/null', 'APT::Sandbox::User=root', 'Acquire::Languages=none'],
      // It would lock the state of the base, which others read at the same time; nothing changes it.
      'Debug::NoLocking=1',
      `Dir::Etc::SourceList=${join(apt, 'sources.list')}`,
      `Dir::State=${apt}`,
      `Dir::State::Lists=${join(apt, 'lists')}`,
      `Dir::State::status=${join(base.root, 'var/lib/dpkg/status')}`,
      `Dir::Cache=${apt}`,
      `Dir::Cache::archives=${debs}`,
    ].flatMap((option) => ['-o', option])
    await writeFile(join(apt, 'settings'), `${(await fetchSettings()).join('\n')}\n`)
    const target = ['-q', '-c', join(apt, 'settings'), ...options]
    await must(['apt-get', ...target, 'update'])
    const install = ['install', '-y', '--download-only', '--no-install-recommends']
    await must(['apt-get', ...target, ...install, ...packages])
    await index(debs)
    for (const name of ['apt', 'debs']) await chmod(join(draft, name), 0o755)
  })
  return join(folder, 'debs')
}
