import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { bootstrap } from './bootstrap.ts'
import { cached } from './cache.ts'
import { needPrograms } from './prerequisites.ts'
import { download } from './repository.ts'
import { essentials, offered, type Suite, suites } from './suites.ts'

/** Folders that hosts share and never write to; `php` is the version the suite ships. */
export type Base = { suite: Suite; root: string; debs: string; php: string }

const REVISION = '1'

/**
 * A bootable minimal root filesystem of `suite` and its packages as a local source. About 25 s the
 * first time on a machine, then nothing. Throws the output of the failed tool.
 */
export async function prepareBase(suite: Suite): Promise<Base> {
  const folder = await cached(`${suite}-${version(suite)}`, async (draft) => {
    await needPrograms({
      mmdebstrap: 'mmdebstrap',
      'apt-ftparchive': 'apt-utils',
      '/usr/share/keyrings/debian-archive-keyring.gpg': 'debian-archive-keyring',
    })
    await bootstrap(suite, join(draft, 'root'))
    await download(join(draft, 'root'), join(draft, 'debs'), offered(suite))
  })
  return {
    suite,
    root: join(folder, 'root'),
    debs: join(folder, 'debs'),
    php: suites[suite].php,
  }
}

/** Another list of packages is another base. */
function version(suite: Suite): string {
  const recipe = JSON.stringify([REVISION, essentials, offered(suite)])
  return createHash('sha256').update(recipe).digest('hex').slice(0, 12)
}
