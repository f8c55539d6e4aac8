import { expect } from 'chai';
import { HEADER_MISMATCH, isModernErrorCode, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION } from '../../lib/wire/codes.ts';
import { LEGACY_REVISIONS, MODERN_REVISIONS, newestCommon, SUPPORTED_REVISIONS, type Revision } from '../../lib/wire/revision.ts';

describe('revisions', () => {
  it('are listed newest first, since the first one in common is chosen', () => {
    const sorted = [...SUPPORTED_REVISIONS].sort().reverse();
    expect(SUPPORTED_REVISIONS).to.deep.equal(sorted);
    expect(SUPPORTED_REVISIONS).to.deep.equal([...MODERN_REVISIONS, ...LEGACY_REVISIONS]);
    expect(SUPPORTED_REVISIONS).to.have.length(5);
  });

  it('newestCommon chooses by our order, not by theirs', () => {
    expect(newestCommon(LEGACY_REVISIONS, ['2024-11-05', '2025-06-18', '2025-03-26'])).to.equal('2025-06-18');
  });

  it('newestCommon finds nothing among strangers', () => {
    expect(newestCommon(LEGACY_REVISIONS, ['1999-01-01', 7, null, undefined, '2025-06-18 '])).to.equal(undefined);
    expect(newestCommon(LEGACY_REVISIONS, [])).to.equal(undefined);
    expect(newestCommon<Revision>([], ['2025-06-18'])).to.equal(undefined);
  });
});

describe('modern error codes [B21]', () => {
  it('are the three that only servers of 2026-07-28 send', () => {
    expect([HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION]).to.deep.equal([-32020, -32021, -32022]);
    expect([-32020, -32021, -32022].map(isModernErrorCode)).to.deep.equal([true, true, true]);
  });

  it('are not their neighbours', () => {
    expect([-32019, -32023, -32000, -32601, -32600, -32700, 0, NaN].map(isModernErrorCode)).to.deep.equal(Array(8).fill(false));
  });
});
