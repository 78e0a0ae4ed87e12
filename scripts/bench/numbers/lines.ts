const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const two = (value: number) => `${value}`.padStart(2, '0')

/** Requests of one minute as nginx logs them, every third from the page cache. */
export function linesOf(minute: number, count: number, seed: number): string {
  const date = new Date(minute)
  const day = `${two(date.getUTCDate())}/${MONTHS[date.getUTCMonth()]}/${date.getUTCFullYear()}`
  const time = `${day}:${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`
  return Array.from({ length: count }, (_, at) => {
    const second = two(Math.floor((at * 60) / count))
    const answer = at % 3 === 0 ? '0.000 - HIT' : `0.${100 + seed} 0.${100 + seed} MISS`
    const status = at % 20 === 0 ? 404 : 200
    return `203.0.113.${at % 250} - - [${time}:${second} +0000] "GET /a-page/${at}/ HTTP/2.0" ${status} ${2000 + at} "https://site.example/" "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" HTTP/2.0 ${answer}\n`
  }).join('')
}
