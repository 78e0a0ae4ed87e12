import type { Host } from '#tests/support/lab/index.ts'

const DROP_IN = '/etc/systemd/system/mariadb.service.d/late.conf'

/** As on a slow disk: after a power failure the agent is there before MariaDB. */
export async function startDatabaseLate(host: Host): Promise<void> {
  await host.put(DROP_IN, '[Service]\nExecStartPre=/bin/sleep 5\n')
  await host.must(['systemctl', 'daemon-reload'])
}
