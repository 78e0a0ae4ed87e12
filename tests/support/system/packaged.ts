import { missingPackages } from '#agent/kernel/packages/packages.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import type { Image } from '#tests/support/lab/disk.ts'
import { preparePackaged } from '#tests/support/lab/packaged.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'

/** A server with the packages of `server.provision`, which does all the rest. */
export async function packaged(suite: Suite): Promise<Image> {
  return preparePackaged(suite, await missingPackages(fakeHost(), [suites[suite].php]))
}
