import { existsSync } from 'node:fs'
import { removeFromCaddy } from './caddy.ts'
import { isIssued, nameOf } from './certificate.ts'
import type { Machine } from './machine.ts'
import { removeFromNginx } from './nginx.ts'
import type { Settings } from './options.ts'
import {
  BUILDER,
  CACHE,
  CHALLENGES,
  COMMAND,
  DATA,
  HOME,
  SERVICE,
  SETTINGS,
  UNIT,
  USER,
} from './paths.ts'

/** Removes the programs; with `purge` also unrecoverable data. Returns the remaining paths. */
export async function uninstall(
  machine: Machine,
  settings: Settings,
  purge: boolean,
): Promise<string[]> {
  machine.log('Removing the service')
  if (existsSync(UNIT)) await machine.run(['systemctl', 'disable', '--now', '--quiet', SERVICE])
  await machine.remove(UNIT)
  await machine.remove(COMMAND)
  await machine.run(['systemctl', 'daemon-reload'])
  await removeFromNginx(machine)
  await removeFromCaddy(machine)
  await machine.run(['rm', '-rf', HOME, CACHE, CHALLENGES])
  const packages = 'the packages of the proxy, certbot and curl: apt-get autoremove --purge …'
  if (!purge)
    return [
      `${DATA}: the records, their secrets and backups`,
      `${SETTINGS}: the settings, and the key that signs agents`,
      `the users ${USER} and ${BUILDER}`,
      ...(isIssued(settings) ? [`the certificate ${nameOf(settings)} of certbot`] : []),
      packages,
    ]
  machine.log('Removing the records and the settings')
  await machine.run(['rm', '-rf', DATA, SETTINGS])
  if (isIssued(settings))
    await machine.run(['certbot', 'delete', '--non-interactive', '--cert-name', nameOf(settings)])
  for (const user of [USER, BUILDER]) await machine.attempt(['userdel', user])
  return [packages]
}
