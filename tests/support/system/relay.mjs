// Runs in a host's network: forwards each connection of a unix socket to an address there.
import net from 'node:net'

const [path, address, port] = process.argv.slice(2)
net
  .createServer((near) => {
    const far = net.connect(Number(port), address)
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  .listen(path, () => console.log('ready'))
