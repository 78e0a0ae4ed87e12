import type { besideRest, besideS3, KeeperWorld } from './keeper-world.ts'

type AnyWorld = KeeperWorld<Awaited<ReturnType<typeof besideRest | typeof besideS3>>>

/**
 * A repository with an old backup, which a keeper forgets, and with two later ones, which have half of
 * its data.
 */
export async function fading({ client, started }: AnyWorld, name: string, megabytes: number) {
  const history = await started(name)
  const fill = `rm -rf /root/site; mkdir /root/site; cd /root/site
    for n in $(seq ${megabytes}); do head -c 1M /dev/urandom > $n; done`
  await client.must(['bash', '-ec', fill])
  const old = await history.save(200)
  await client.must(['bash', '-ec', `cd /root/site; rm $(seq 1 2 ${megabytes})`])
  const stay = [await history.save(20), await history.save(1)]
  await client.must(['cp', '-a', '--no-target-directory', '/root/site', `/root/of-${name}`])
  const newest = stay[1]?.files
  const kept = stay.flatMap(({ id, files }) => [id, files]).sort()
  return {
    history,
    gone: [old.id, old.files].sort(),
    kept,
    /** Reads all of it, compares the newest backup with what was saved, and returns which backups are lost. */
    async lost() {
      await history.run('check', '--read-data', '--quiet', '--no-lock')
      const back = '/root/back'
      await client.must(['rm', '-rf', back])
      const restore = ['restore', `${newest}:/root/site`, '--target', back, '--no-lock', '--quiet']
      await history.run(...restore)
      await client.must(['diff', '--recursive', `/root/of-${name}`, back])
      const all = await history.snapshots()
      return kept.filter((id) => !all.includes(id))
    },
  }
}
