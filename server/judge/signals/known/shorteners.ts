import { wordList } from "../../../ground/lib/text.ts";

export const SHORTENERS = new Set(
  wordList(`bit.ly bitly.com j.mp t.co tinyurl.com goo.gl g.co forms.gle ow.ly buff.ly is.gd v.gd rebrand.ly
  lnkd.in dlvr.it cutt.ly shorturl.at rb.gy t.ly tiny.cc tiny.one bl.ink s.id soo.gd short.io snip.ly
  shrtco.de adf.ly trib.al ift.tt wp.me fb.me m.me on.fb.me youtu.be amzn.to amzn.eu a.co apple.co
  spoti.fi redd.it git.io nyti.ms wapo.st econ.st bbc.in cnn.it reut.rs n.pr ti.me on.ft.com gu.com
  es.pn bloom.bg huff.to tcrn.ch zcu.io pst.cr urlz.fr lc.cx vu.fr kutt.it qr.ae x.co ht.ly mcaf.ee
  clck.ru vk.cc u.to goo.su t.cn url.cn dwz.cn suo.im w.url.cn aka.ms 1drv.ms msft.it
  discord.gg flic.kr imgur.io pin.it eepurl.com hubs.ly hubs.la mailchi.mp shor.by chilp.it
  me2.do bit.do db.tt ur1.ca surl.li tny.im`),
);
