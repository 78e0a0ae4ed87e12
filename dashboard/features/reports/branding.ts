import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { invalid, notFound } from '#shared/kernel/errors.ts'
import {
  type Branding,
  type ChangeBranding,
  DEFAULT_COLOR,
  type LogoType,
  MAX_LOGO_KIB,
  MAX_LOGO_PIXELS,
  MIN_LOGO_PIXELS,
  textColorOn,
} from '#shared/reports/api/branding.ts'
import { findBranding, saveBranding } from './branding.queries.ts'
import { inspectImage } from './image.ts'

type Deps = Pick<CommonDeps, 'db' | 'clock'>

const LOGO_PATH = '/api/fleet/branding/logo'

export async function readBranding(db: Database): Promise<Branding> {
  const row = await findBranding(db)
  const { name = '', color = DEFAULT_COLOR, reply_to = '', closing = '', logo } = row ?? {}
  const hash = logo ? createHash('sha256').update(logo).digest('hex').slice(0, 16) : undefined
  return {
    name,
    color,
    text_color: textColorOn(color),
    reply_to,
    closing,
    logo: hash === undefined ? null : `${LOGO_PATH}?v=${hash}`,
  }
}

export async function changeBranding(
  { db, clock }: Deps,
  values: z.output<typeof ChangeBranding>,
  user_id: number,
): Promise<Branding> {
  await saveBranding(db, values, entryOf(clock, { type: 'branding.update', user_id }))
  return readBranding(db)
}

/** Stores the logo. Throws 422 on `image` for anything but a small PNG, JPEG or WebP. */
export async function changeLogo(
  { db, clock }: Deps,
  image: string,
  user_id: number,
): Promise<Branding> {
  const bytes = Buffer.from(image, 'base64')
  if (bytes.length > MAX_LOGO_KIB * 1024)
    throw invalid({ image: [`Must have at most ${MAX_LOGO_KIB} KiB`] })
  const found = inspectImage(bytes)
  if (!found) throw invalid({ image: ['Must be a PNG, JPEG or WebP image'] })
  const isSized = [found.width, found.height].every(
    (pixels) => pixels >= MIN_LOGO_PIXELS && pixels <= MAX_LOGO_PIXELS,
  )
  if (!isSized)
    throw invalid({
      image: [`Must be ${MIN_LOGO_PIXELS} to ${MAX_LOGO_PIXELS} pixels wide and high`],
    })
  const entry = entryOf(clock, { type: 'branding.logo', user_id })
  await saveBranding(db, { logo: bytes.toString('base64'), logo_type: found.type }, entry)
  return readBranding(db)
}

export async function deleteLogo({ db, clock }: Deps, user_id: number): Promise<Branding> {
  const entry = entryOf(clock, { type: 'branding.logo_delete', user_id })
  await saveBranding(db, { logo: null, logo_type: null }, entry)
  return readBranding(db)
}

export interface Logo {
  type: LogoType
  bytes: Buffer
}

/** Returns the logo; undefined without one. */
export async function findLogo(db: Database): Promise<Logo | undefined> {
  const { logo = null, logo_type: type = null } = (await findBranding(db)) ?? {}
  if (logo === null || type === null) return undefined
  return { type, bytes: Buffer.from(logo, 'base64') }
}

/** Answers with the logo as the type that its bytes had. Throws 404 without one. */
export async function sendLogo(db: Database): Promise<Response> {
  const logo = await findLogo(db)
  if (!logo) throw notFound('Logo')
  return new Response(new Uint8Array(logo.bytes), { headers: { 'content-type': logo.type } })
}
