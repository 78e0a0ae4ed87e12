import type { Clock } from '#agent/kernel/host/ports.ts'
import {
  type Bucket,
  copyVersion,
  deleteObject,
  listVersions,
  type ObjectVersion,
} from './bucket.ts'

/** The numbers of restored objects: those below a delete marker or below other content. */
export interface UndeleteResult {
  deleted: number
  overwritten: number
}

/**
 * Restores what was deleted or overwritten since a moment in a bucket with versions. restic never
 * writes an object again: the oldest version of each is the right one. Locks stay as they are:
 * those of programs that have ended would stop every other program.
 */
export async function undelete(
  clock: Clock,
  bucket: Bucket,
  since: number,
): Promise<UndeleteResult> {
  const done = { deleted: 0, overwritten: 0 }
  const base = `${bucket.prefix}/`
  const listed = await listVersions(clock, bucket, base)
  for (const all of byKey(listed.filter(({ key }) => !isLock(key.slice(base.length))))) {
    const versions = sinceDeletion(all, since)
    const [newest] = versions
    const content = versions.filter(({ is_marker }) => !is_marker)
    const first = content.at(-1)
    if (!newest || !first || newest.at < since) continue
    if (first.at < since && content[0] !== first) {
      await copyVersion(clock, bucket, first)
      done.overwritten += 1
    } else if (newest.is_marker) {
      for (const marker of versions.filter(({ is_marker }) => is_marker)) {
        await deleteObject(clock, bucket, marker.key, marker.version)
      }
      done.deleted += 1
    }
  }
  return done
}

const isLock = (path: string) => path.split('/')[1] === 'locks'

/** Leaves out versions that were deleted before the moment. */
function sinceDeletion(
  versions: readonly ObjectVersion[],
  since: number,
): readonly ObjectVersion[] {
  const deletion = versions.findIndex(({ is_marker, at }) => is_marker && at < since)
  return deletion === -1 ? versions : versions.slice(0, deletion)
}

/** Groups the versions by object, newest first. */
function byKey(versions: readonly ObjectVersion[]): ObjectVersion[][] {
  const keys = Map.groupBy(versions, ({ key }) => key)
  return [...keys.values()].map((all) =>
    all.sort((a, b) => Number(b.is_latest) - Number(a.is_latest) || b.at - a.at),
  )
}
