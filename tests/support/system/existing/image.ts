import { missingPackages } from '#agent/os/packages/packages.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import type { Image } from '#tests/support/lab/disk.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import { preparePackaged } from '#tests/support/lab/packaged.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'

/** A server already in use: Debian's web servers, PHP and MariaDB. */
export async function existingImage(suite: Suite): Promise<Image> {
  const packages = await missingPackages(fakeHost(), [suites[suite].php])
  return preparePackaged(suite, [...packages, 'apache2'], await morePackages(suite, ['apache2']))
}
