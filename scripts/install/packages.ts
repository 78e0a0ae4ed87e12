import type { Machine } from './machine.ts'
import type { Settings } from './options.ts'

/** Missing packages that the distribution has. They stay when the installation fails. */
export async function installPackages(machine: Machine, settings: Settings): Promise<void> {
  const { proxy, tls } = settings
  const needed = [
    ...['curl', 'ca-certificates', 'iproute2'],
    ...(proxy === 'none' ? [] : [proxy]),
    ...(proxy === 'nginx' && tls === 'acme' ? ['certbot'] : []),
    ...(proxy === 'nginx' && tls === 'self-signed' ? ['openssl'] : []),
  ]
  const missing: string[] = []
  for (const name of needed) if (!(await isInstalled(machine, name))) missing.push(name)
  if (missing.length === 0) return
  machine.log(`Installing ${missing.join(', ')}`)
  const apt = ['apt-get', '-q', '-y', '-o', 'DPkg::Lock::Timeout=300']
  await machine.run([...apt, 'update'])
  await machine.run([...apt, 'install', '--no-install-recommends', ...missing])
}

async function isInstalled(machine: Machine, name: string): Promise<boolean> {
  const { stdout } = await machine.attempt(['dpkg-query', '--status', name], { reads: true })
  return stdout.includes('\nStatus: install ok installed\n')
}
