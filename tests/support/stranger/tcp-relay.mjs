// Runs in the network of the lab: forwards connections of an address there to a unix socket.
import net from 'node:net'

const [address, port, path] = process.argv.slice(2)
net
  .createServer((near) => {
    const far = net.connect(path)
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  .listen(Number(port), address, () => console.log('ready'))
