import { missingPackages } from '#agent/kernel/packages/packages.ts'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import type { Image } from '#tests/support/lab/disk.ts'
import type { Host } from '#tests/support/lab/index.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import { preparePackaged } from '#tests/support/lab/packaged.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, installEnrolled } from '#tests/support/system/enrolled.ts'
import { differences, type Seen, see, type Watched } from './answers.ts'

/** A server already in use: Debian's web servers, PHP and MariaDB. */
async function existingImage(suite: Suite): Promise<Image> {
  const packages = await missingPackages(fakeHost(), [suites[suite].php])
  return preparePackaged(suite, [...packages, 'apache2'], await morePackages(suite, ['apache2']))
}

/** A server with sites older than its agent: their answers then, and the differences now. */
export interface ExistingWorld {
  enrolled: Enrolled
  host: Host
  before: Seen
  differences(): Promise<string[]>
  /** The last event of the provisioning of the server. */
  provision(params?: object): Promise<StoredEvent | undefined>
  /** The last event of a call. */
  did(method: string, path: string, body?: unknown): Promise<StoredEvent>
}

export async function startExisting(
  suite: Suite,
  prepare: (host: Host) => Promise<Watched>,
): Promise<ExistingWorld> {
  let watched: Watched = { asked: [], units: [] }
  let before: Seen = { answers: [], services: [], files: [] }
  const enrolled = await installEnrolled(suite, {
    image: await existingImage(suite),
    async prepare(host) {
      watched = await prepare(host)
      before = await see(host, watched)
    },
  })
  const { host } = enrolled
  return {
    enrolled,
    host,
    before,
    differences: async () => differences(before, await see(host, watched)),
    async provision(params = {}) {
      return (await enrolled.dashboard.stream('POST', enrolled.path('/provision'), params)).at(-1)
    },
    async did(method, path, body) {
      const answer = await enrolled.dashboard.call(method, path, body)
      if (answer.status >= 300)
        throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return endOf(enrolled.dashboard, answer)
    },
  }
}
