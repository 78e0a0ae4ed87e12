import { randomBytes } from 'node:crypto'
import type { Config } from '#agent/kernel/config.ts'
import type { Clock, Host } from '#agent/kernel/host/ports.ts'
import type { ListenAddress } from '#agent/kernel/http/listen.ts'
import { Enrolment } from './enrolment.ts'
import { type Gate, openGate, signedGate } from './gate.ts'
import type { GateNotice } from './gate-notice.ts'
import { audienceOf, loadIdentity } from './identity.ts'
import { type KeyRotation, rotationOf } from './rotation.ts'
import { TrustedDashboard } from './trusted-dashboard.ts'
import { UsedTokens } from './used-tokens.ts'
import { type RecordWitness, witnessOf } from './witness.ts'

interface Trust {
  gate: Gate
  /** Absent without authentication, like the following. */
  enrolment?: Enrolment
  rotation?: KeyRotation
  record?: RecordWitness
  tls?: ListenAddress['tls']
  /** The data for the half that listens. */
  notice?: GateNotice
}

/** Returns the authentication of a process; `none` is without signatures and on plain HTTP. */
export async function trustOf(config: Config, host: Host): Promise<Trust> {
  if (config.auth !== 'signed') return { gate: openGate }
  const { files, clock } = host
  const identity = await loadIdentity(files, config.state_dir, clock.now())
  const enrolment = await enrolmentOf(config, host)
  const trust = new TrustedDashboard(files, config.state_dir)
  const now = () => seconds(clock)
  const notice = { audience: audienceOf(identity), boot: randomBytes(16).toString('base64url') }
  const admitted = () => enrolment.close()
  const gate = signedGate({ ...notice, trust, seen: new UsedTokens(), now, admitted })
  const tls = { key: identity.tls_key, certificate: identity.certificate }
  const rotation = rotationOf({ trust, now, exclusive: host.exclusive })
  const record = witnessOf({ files, state_dir: config.state_dir, exclusive: host.exclusive })
  return { gate, enrolment, rotation, record, tls, notice }
}

export async function enrolmentOf({ state_dir }: Config, { files, clock }: Host) {
  const identity = await loadIdentity(files, state_dir, clock.now())
  const trust = new TrustedDashboard(files, state_dir)
  return new Enrolment({ files, state_dir, identity, trust, now: () => seconds(clock) })
}

function seconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000)
}
