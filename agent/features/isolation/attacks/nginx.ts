import {
  type AttackVerdict,
  CONTEXTS,
  refused,
  type SceneAttack,
  succeeded,
} from '#agent/features/isolation/attack.ts'
import type { Scene } from '#agent/features/isolation/scene.ts'

const SYSTEM_FILE = /^root:.*:0:0:/m
const UPLOADS = ['php', 'phtml', 'phar', 'php5', 'PHP'].map(
  (ending) => `/wp-content/uploads/isolation.${ending}`,
)

const SYMLINKS = CONTEXTS.flatMap((context) => [
  `/link-${context}.txt`,
  `/folder-${context}/isolation.txt`,
  `/passwd-${context}.txt`,
])
const HARDLINKS = CONTEXTS.flatMap((context) => [
  `/hard-${context}.txt`,
  `/hard-passwd-${context}.txt`,
])

/** Attacks through nginx, which may read the files of every site. */
export const NGINX_ATTACKS = {
  'nginx.symlink': {
    severity: 'high',
    title: 'Have nginx serve files of others through a symbolic link',
    meaning: 'Everything that nginx can read is readable for every site.',
    attempt: (scene) => served(scene, SYMLINKS),
  },
  'nginx.hardlink': {
    severity: 'high',
    title: 'Have nginx serve files of others through a hard link',
    meaning: 'Everything that nginx can read is readable for every site.',
    attempt: (scene) => served(scene, HARDLINKS),
  },
  'nginx.uploads': {
    severity: 'high',
    title: 'Execute PHP in the folder of uploads',
    meaning: 'A form that accepts uploads becomes a way to run code.',
    attempt: (scene) => requested(scene, UPLOADS, (body) => body.includes('isolation ran')),
  },
} as const satisfies Record<string, SceneAttack>

const served = (scene: Scene, paths: readonly string[]) =>
  requested(scene, paths, (body) => body.includes(scene.secret) || SYSTEM_FILE.test(body))

async function requested(
  { host, attacker: { domain } }: Scene,
  paths: readonly string[],
  isThrough: (body: string) => boolean,
): Promise<AttackVerdict> {
  const through: string[] = []
  for (const path of paths) {
    const { body } = await host.net.probe({ host: domain, path })
    if (isThrough(body)) through.push(path)
  }
  return through.length > 0 ? succeeded(`got ${through.join(', ')}`) : refused()
}
