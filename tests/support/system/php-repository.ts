import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareBase } from '#tests/support/lab/base.ts'
import { needPrograms } from '#tests/support/lab/prerequisites.ts'
import { must } from '#tests/support/lab/run.ts'

export interface PhpRepository {
  folder: string
  /** 40 upper-case hexadecimal digits. */
  fingerprint: string
  remove(): Promise<void>
}

/** That of trixie excludes older versions of PHP; that of deb.sury.org is newer and does not. */
async function putPhpCommon(pool: string): Promise<void> {
  const { debs } = await prepareBase('trixie')
  const name = (await readdir(debs)).find((name) => name.startsWith('php-common_'))
  if (name === undefined) throw new Error(`${debs} has no php-common`)
  const draft = await mkdtemp(join(tmpdir(), 'php-common-'))
  await must(['dpkg-deb', '--raw-extract', join(debs, name), draft])
  const control = join(draft, 'DEBIAN/control')
  const text = await readFile(control, 'utf8')
  await writeFile(
    control,
    text.replace(/^Breaks: .*\n/m, '').replace(/^Version: .*/m, 'Version: 2:99'),
  )
  await must(['dpkg-deb', '--build', '--root-owner-group', draft, pool])
  await rm(draft, { recursive: true })
}

/**
 * A signed apt repository for `trixie` with the PHP of bookworm and the libraries that it needs,
 * laid out as the one of deb.sury.org.
 */
export async function phpRepository(): Promise<PhpRepository> {
  await needPrograms({ gpg: 'gpg', 'gpg-agent': 'gpg-agent', 'apt-ftparchive': 'apt-utils' })
  const { debs } = await prepareBase('bookworm')
  const folder = await mkdtemp(join(tmpdir(), 'php-repository-'))
  const home = await mkdtemp(join(tmpdir(), 'gnupg-'))
  const env = { GNUPGHOME: home }
  const dist = join(folder, 'dists/trixie')
  const binary = join(dist, 'main/binary-amd64')
  await mkdir(binary, { recursive: true })
  await mkdir(join(folder, 'pool'))
  for (const name of await readdir(debs)) {
    if (name.endsWith('.deb')) await cp(join(debs, name), join(folder, 'pool', name))
  }
  await putPhpCommon(join(folder, 'pool'))
  const packages = await must(['apt-ftparchive', 'packages', 'pool'], { cwd: folder })
  await writeFile(join(binary, 'Packages'), packages)
  const about = ['Origin=test', 'Codename=trixie', 'Components=main', 'Architectures=amd64']
  const options = about.flatMap((field) => ['-o', `APT::FTPArchive::Release::${field}`])
  const release = await must(['apt-ftparchive', ...options, 'release', '.'], { cwd: dist })
  await writeFile(join(dist, 'Release'), release)
  const gpg = ['gpg', '--batch', '--quiet', '--no-tty', '--passphrase', '', '--yes']
  const uid = 'Repository <repository@php.example.test>'
  await must([...gpg, '--quick-gen-key', uid, 'ed25519', 'sign', 'never'], { env })
  const signed = join(dist, 'InRelease')
  await must([...gpg, '--output', signed, '--clearsign', join(dist, 'Release')], { env })
  await must([...gpg, '--output', join(folder, 'apt.gpg'), '--export'], { env })
  const keys = await must([...gpg, '--with-colons', '--list-keys'], { env })
  await must(['gpgconf', '--kill', 'all'], { env })
  await rm(home, { recursive: true })
  return {
    folder,
    fingerprint: /^fpr:+([0-9A-F]{40}):/m.exec(keys)?.[1] ?? '',
    remove: () => rm(folder, { recursive: true }),
  }
}
