import { fetchedOf, filesIn, replacedOf, restoreFolders } from '#agent/features/backups/paths.ts'
import { removeRestoreFolders, swapBack, swapFiles } from '#agent/features/backups/replace.ts'
import { sanitizeFiles } from '#agent/features/backups/sanitize-files.ts'
import { refused, type SceneAttack, succeeded } from '#agent/features/isolation/attack.ts'
import type { Scene } from '#agent/features/isolation/scene.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'

const PRIVATE = { mode: 0o700 }
const SYSTEM_FILE = /^root:.*:0:0:/m

/** Attacks by backups: whoever has a server or a storage can write them at will. */
export const ARCHIVE_ATTACKS = {
  'restore.files': {
    severity: 'critical',
    title: 'Have nginx serve files of others through links in a restored backup',
    meaning:
      'Whoever writes a backup reads the files of every site on the server that restores it.',
    async attempt(scene) {
      const { host, attacker } = scene
      const { user } = attacker
      try {
        const through = [...(await servedLinks(scene)), ...(await acceptedFolders(host, user))]
        return through.length > 0 ? succeeded(through.join(', ')) : refused()
      } finally {
        await swapBack(host, user, fetchedOf(user), replacedOf(user))
        await removeRestoreFolders(host, user).apply()
      }
    },
  },
} as const satisfies Record<string, SceneAttack>

/** Returns the served links of the neighbour and of root. */
async function servedLinks({ host, attacker, neighbour, secret }: Scene): Promise<string[]> {
  const { user, domain } = attacker
  const links = [
    ['restored-file.txt', neighbour.user, `${docrootOf(neighbour.user)}/isolation.txt`],
    ['restored-folder', neighbour.user, docrootOf(neighbour.user)],
    ['restored-system.txt', 'root', '/etc/passwd'],
  ] as const
  const tree = await emptyTree(host, attacker)
  await host.files.mkdir(tree)
  for (const [name, owner, target] of links) {
    await host.files.link(target, `${tree}/${name}`)
    await host.shell.run(['chown', '--no-dereference', `${owner}:`, '--', `${tree}/${name}`])
  }
  await sanitizeFiles(host, user, tree)
  await swapFiles(host, user, fetchedOf(user), replacedOf(user)).apply()
  const through: string[] = []
  for (const path of ['file.txt', 'folder/isolation.txt', 'system.txt']) {
    const { body } = await host.net.probe({ host: domain, path: `/restored-${path}` })
    if (body.includes(secret) || SYSTEM_FILE.test(body)) through.push(`got /restored-${path}`)
  }
  await swapBack(host, user, fetchedOf(user), replacedOf(user))
  return through
}

/** Returns accepted links in place of the public folder, which would serve all of the server. */
async function acceptedFolders(host: Host, user: string): Promise<string[]> {
  const tree = filesIn(fetchedOf(user))
  await host.files.remove(tree)
  await host.files.link('/', tree)
  const accepted = await sanitizeFiles(host, user, tree).then(
    () => true,
    () => false,
  )
  return accepted ? ['a link was taken for the public folder'] : []
}

async function emptyTree(host: Host, { user }: Site): Promise<string> {
  await removeRestoreFolders(host, user).apply()
  for (const path of [...restoreFolders(user), fetchedOf(user), replacedOf(user)]) {
    await host.files.mkdir(path, PRIVATE)
  }
  return filesIn(fetchedOf(user))
}
