import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { must } from '#tests/support/lab/run.ts'

/** The last commit whose agent ran PHP-FPM as root and the jobs of sites in cron.service. */
const FORMER = 'd08ddb6332460dda89674fecb3bcf24d221917d6'

/** Why no former version can be built, or undefined: a clone without history has none. */
export function formerUnavailable(): string | undefined {
  const { exitCode } = Bun.spawnSync(['git', 'cat-file', '-e', `${FORMER}^{commit}`])
  return exitCode === 0 ? undefined : 'this clone has no history'
}

/** The executable of the former agent, built from its own sources with today's packages. */
export async function formerAgent(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'former-'))
  try {
    const archive = join(folder, 'sources.tar')
    await must(['git', 'archive', `--output=${archive}`, FORMER])
    await must(['tar', '-xf', archive, '-C', folder])
    await symlink(resolve('node_modules'), join(folder, 'node_modules'))
    await must([process.execPath, 'scripts/build-agent.ts'], { cwd: folder })
    return await Bun.file(join(folder, 'dist/hosting-agent')).bytes()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
