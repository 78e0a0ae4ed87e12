import type { Host } from '#tests/support/lab/index.ts'

const ARCHIVE = '/srv/security'
const RELEASE = `Origin: Debian
Label: Debian-Security
Suite: stable-security
Codename: bookworm-security
`

/**
 * A newer version of an installed package, in an archive that apt takes for Debian's security
 * updates. Its files are the installed ones.
 */
export async function publish(host: Host, name: string): Promise<void> {
  const script = [
    `mkdir -p ${ARCHIVE}`,
    `cd ${ARCHIVE}`,
    `dpkg-deb --raw-extract "$(ls /srv/debs/${name}_*.deb | head -n 1)" tree`,
    `sed -i 's/^Version: .*/&+security1/' tree/DEBIAN/control`,
    `dpkg-deb --build tree ${name}.deb >/dev/null`,
    'rm -r tree',
    `{ dpkg-deb --field ${name}.deb; echo "Filename: ./${name}.deb"; stat --format 'Size: %s' ${name}.deb; echo "SHA256: $(sha256sum ${name}.deb | cut -d ' ' -f 1)"; } > Packages`,
  ]
  await host.must(['sh', '-ec', script.join('\n')])
  const sum = await host.must(['sh', '-c', `cd ${ARCHIVE}; sha256sum Packages; wc -c Packages`])
  const [digest = ''] = sum.split(' ')
  const size = /^(\d+) Packages$/m.exec(sum)?.[1]
  await host.put(`${ARCHIVE}/Release`, `${RELEASE}SHA256:\n ${digest} ${size} Packages\n`)
  await host.put('/etc/apt/sources.list.d/security.list', `deb [trusted=yes] file:${ARCHIVE} ./\n`)
  await host.must(['apt-get', 'update', '-q'])
}
